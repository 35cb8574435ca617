"""The pages of a document as pictures, with its passages laid over them and their texts beside."""

import streamlit as st
from haystack import Document

from khub.components.catalog.document_row import DocumentRow
from khub.dashboard.language import t
from khub.dashboard.parts.address import put, take
from khub.dashboard.parts.document_text import show_document_text
from khub.dashboard.parts.documents.passage_head import passage_head
from khub.dashboard.parts.page_picture import show_numbered_page, show_page
from khub.dashboard.plain_text import plain
from khub.server.reads.hub_reads import reader, title_of
from khub.server.reads.page_image import boxes_on

ALL = "all"


def show_pages(row: DocumentRow) -> None:
    """Show a page, and the passages that have a part on it; the address may name both.

    :param row: of the document, from the catalog.
    """
    page = _page(row)
    chunks = reader().chunks_of_pages(row["doc_id"], page, page)
    picture, texts = st.columns(2)
    with texts:
        marked = _marked(chunks)
    with picture:
        _show_picture(row, page, chunks, marked)
    with texts:
        if not chunks:
            st.caption(t("No text of this page was read, or none is open to you.", "此页没有读出文字，或您无权查看。"))
        for chunk in chunks:
            if marked in (ALL, _number(chunk)):
                with st.container(border=True):
                    passage_head(chunk)
                    show_document_text(chunk.content or "")


def _page(row: DocumentRow) -> int:
    last = max(1, row["pages"] or 1)
    take("page", range(1, last + 1), 1)
    page = 1
    if last > 1:
        page = st.pagination(last, key="page")
    put("page", page, 1)
    return page


def _marked(chunks: list[Document]) -> str:
    """Return the number of the passage that is marked, or `ALL`."""
    numbers = [_number(chunk) for chunk in chunks]
    take("passage", [ALL, *numbers], ALL)
    marked = st.pills(
        t("Passage to mark", "标出的段落"),
        [ALL, *numbers],
        required=True,
        key="passage",
        format_func=lambda number: t("all, numbered", "全部编号") if number == ALL else number,
    )
    put("passage", marked, ALL)
    return str(marked)


def _show_picture(row: DocumentRow, page: int, chunks: list[Document], marked: str) -> None:
    title = title_of(row)
    if marked == ALL:
        placed = [(box, _number(chunk)) for chunk in chunks for box in boxes_on(chunk, page)]
        caption = t(f"{title}, page {page}, with its passages numbered", f"{title}，第 {page} 页，段落已编号")
        show_numbered_page(row, page, [box for box, _ in placed], [number for _, number in placed], caption)
        return
    boxes = [box for chunk in chunks if _number(chunk) == marked for box in boxes_on(chunk, page)]
    show_page(row, page, boxes, t(f"{title}, page {page}, passage {marked}", f"{title}，第 {page} 页，段落 {marked}"))
    if not boxes:
        st.caption(plain(t("The place of this passage on the page is not known.", "该段落在页面上的位置未知。")))


def _number(chunk: Document) -> str:
    return str(chunk.meta["ordinal"] + 1)
