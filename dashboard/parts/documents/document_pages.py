"""The pages of a document, with its passages laid over them and their texts beside."""

import streamlit as st
from haystack import Document

from khub.components.answers.shown_text import shown_text
from khub.components.catalog.document_row import DocumentRow
from khub.dashboard.language import t
from khub.dashboard.page import part
from khub.dashboard.parts.document_html import document_html
from khub.dashboard.parts.documents.cited_passage import cited_passage, evidence_in
from khub.dashboard.parts.documents.passage_head import facts_of, section_of
from khub.dashboard.parts.reader.reader import PassageData, ReaderData, Shown, show_reader, told_by
from khub.dashboard.parts.reader.sheet import sheet_of
from khub.server.reads.hub_reads import reader
from khub.server.reads.page_image import is_drawable


@part
def show_pages(row: DocumentRow) -> None:
    """Show a page, and the passages that have a part on it; of a document without pages the passage that is cited.

    :param row: of the document, from the catalog; the address may name page and passage.
    """
    key, cited = f"pages of {row['doc_id']}", cited_passage(row["doc_id"])
    shown = told_by(key).get("shown") or _in_address(cited)
    page = min(max(shown["page"] or 1, 1), row["pages"] or 1) if is_drawable(row) else None
    chunks = reader().chunks_of_pages(row["doc_id"], page, page) if page else [*filter(None, [cited])]
    marked = next((one for one in chunks if _number(one) == shown["number"]), next(iter(chunks), None))
    st.query_params.update({"page": str(page)} if page else {})
    st.query_params.update({"passage": str(_number(marked))} if marked else {})
    evidence = {cited.id: evidence_in(cited)} if cited else {}
    others = [one for one in chunks if one is not marked]
    sheet = sheet_of(row, page, marked, evidence.get(marked.id, "") if marked else "", others)
    show_reader(_data(chunks, page, _number(marked) if marked else 0, evidence), sheet, key)


def _in_address(cited: Document | None) -> Shown:
    page, passage = (st.query_params.get(name, "") for name in ("page", "passage"))
    return {
        "number": int(passage) if passage.isdecimal() else _number(cited) if cited else 0,
        "page": int(page) if page.isdecimal() else 1,
    }


def _data(chunks: list[Document], page: int | None, shown: int, evidence: dict[str, str]) -> ReaderData:
    none = t("No text of this page was read, or none is open to you.", "此页没有读出文字，或您无权查看。")
    return {
        "turn": f"page {page}",
        "shown": shown,
        "lead": "",
        "notes": [] if chunks else [("note", none)],
        "facts": "",
        "passages": [_passage(one, page, evidence.get(one.id, "")) for one in chunks],
        "links": [],
        "markdown": "",
        "judges": False,
    }


def _passage(chunk: Document, page: int | None, evidence: str) -> PassageData:
    return {
        "number": _number(chunk),
        "title": section_of(chunk) or t("Passage", "段落"),
        "where": facts_of(chunk),
        "html": document_html(shown_text(chunk)),
        "evidence": evidence,
        "chunk_id": chunk.id,
        "address": None,
        "page": page,
        "why": None,
        "right": None,
    }


def _number(chunk: Document) -> int:
    return int(chunk.meta["ordinal"]) + 1
