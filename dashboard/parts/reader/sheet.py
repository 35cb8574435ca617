"""The page that a passage stands on, with the passage marked; of a document without pages, the text around it."""

from base64 import b64encode
from collections.abc import Sequence
from typing import TypedDict

import streamlit as st
from haystack import Document

from khub.components.answers.shown_text import shown_text
from khub.components.catalog.document_row import DocumentRow
from khub.components.errors import KhubError
from khub.dashboard.language import t
from khub.dashboard.parts.document_html import document_html
from khub.server.reads.hub_reads import NotThereError, reader, require_whole_page, title_of
from khub.server.reads.joined_text import joined
from khub.server.reads.page_image import Sheet, boxes_on, is_drawable, page_sheet

AROUND = 4
"""Passages before and after one that are shown with it."""
KEPT, MOST = "pages drawn", 12
"""Under this key the last pages live as long as the visit."""


class Part(TypedDict):
    """Text as HTML, and whether it is the passage itself."""

    html: str
    own: bool


class Place(TypedDict):
    """Where a passage stands on a page: its number and a box of it, as shares of the page's width and height."""

    number: int
    box: list[float]


class SheetData(TypedDict):
    """What the browser is given of a page.

    :param image: as an address that holds it; empty where there is none.
    :param passage: boxes of the passage as shares of the page's width and height: left, top, width, height.
    :param evidence: boxes of its lines that answer.
    :param places: of other passages that can be chosen on it.
    :param parts: the text around the passage, where there is no image.
    :param note: why there is none.
    """

    doc_id: str
    title: str
    page: int
    pages: int
    image: str
    ratio: float
    passage: list[list[float]]
    evidence: list[list[float]]
    places: list[Place]
    parts: list[Part]
    note: str


def sheet_of(
    row: DocumentRow, page: int | None, chunk: Document | None, evidence: str = "", others: Sequence[Document] = ()
) -> SheetData:
    """Return a page for who looks at it, or the text around a passage.

    :param row: of the document, from the catalog.
    :param page: from 1; None where the document has none.
    :param chunk: the passage that is marked; None where the page has none.
    :param evidence: what of the passage answers, as Markdown.
    :param others: passages whose places can be chosen.
    """
    data = SheetData(
        doc_id=row["doc_id"], title=title_of(row), page=page or 0, pages=row["pages"] or 0, image="", ratio=0.0,
        passage=[], evidence=[], places=[], parts=[], note="",
    )  # fmt: skip
    if page is None or not is_drawable(row):
        return {**data, "parts": _around(chunk)}
    try:
        require_whole_page(row["doc_id"], page)
        boxes = boxes_on(chunk, page) if chunk else []
        sheet = _drawn(row, page, boxes, evidence if boxes else "")
    except NotThereError:
        closed = t("closed to you in part, or nothing of it was read", "其中有您无权查看的内容，或没有读出内容")
        note = t(f"Page {page} is not shown: {closed}", f"第 {page} 页不显示：{closed}")
        return {**data, "parts": _around(chunk), "note": note}
    except KhubError as error:
        return {**data, "parts": _around(chunk), "note": t("The page cannot be drawn: ", "无法显示该页：") + str(error)}
    return {
        **data,
        "image": "data:image/webp;base64," + b64encode(sheet.webp).decode(),
        "ratio": sheet.height / sheet.width,
        "passage": _shares(boxes, sheet),
        "evidence": _shares(sheet.evidence, sheet),
        "places": [
            {"number": one.meta["ordinal"] + 1, "box": box}
            for one in others
            for box in _shares(boxes_on(one, page), sheet)
        ],
    }


def _drawn(row: DocumentRow, page: int, boxes: list[list[float]], evidence: str) -> Sheet:
    """Return a page; the last ones are kept, for one goes back and forth."""
    kept: dict[object, Sheet] = st.session_state.setdefault(KEPT, {})
    wanted = row["doc_id"], row["sha256"], page, repr(boxes), evidence
    sheet = kept.pop(wanted, None) or page_sheet(row, page, boxes, evidence)
    kept[wanted] = sheet
    while len(kept) > MOST:
        del kept[next(iter(kept))]
    return sheet


def _shares(boxes: list[list[float]], sheet: Sheet) -> list[list[float]]:
    return [
        [left / sheet.width, top / sheet.height, (right - left) / sheet.width, (bottom - top) / sheet.height]
        for left, top, right, bottom in boxes
    ]


def _around(chunk: Document | None) -> list[Part]:
    if chunk is None:
        return []
    ordinal, doc_id = chunk.meta["ordinal"], chunk.meta["doc_id"]
    near = reader().chunks_between(doc_id, ordinal - AROUND, ordinal + AROUND)
    before = [one for one in near if one.meta["ordinal"] < ordinal]
    behind = [one for one in near if one.meta["ordinal"] > ordinal]
    parts = (_part(before, own=False), _part([chunk], own=True), _part(behind, own=False))
    return [part for part in parts if part["html"]]


def _part(chunks: list[Document], own: bool) -> Part:
    if not chunks:
        return {"html": "", "own": own}
    first, *others = chunks
    begun = shown_text(first)
    rest = joined(chunks).removeprefix(first.content or "") if others else ""
    return {"html": document_html(begun + rest), "own": own}
