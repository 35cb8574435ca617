"""A page of a document as a picture with places marked; where there can be none, the reason stands there."""

from collections.abc import Sequence

import streamlit as st

from khub.components.catalog.document_row import DocumentRow
from khub.components.errors import KhubError
from khub.dashboard.language import t
from khub.dashboard.plain_text import plain
from khub.server.reads.hub_reads import NotThereError, require_whole_page
from khub.server.reads.page_image import is_drawable, page_image


def show_page(row: DocumentRow, page: int, boxes: list[list[float]], caption: str) -> None:
    """Show a page with places marked, to a visitor who may see all that stands on it.

    :param row: of the document, from the catalog.
    :param page: from 1.
    :param boxes: left, top, right, bottom in points of what is marked.
    :param caption: below the picture, and what a screen reader says of it.
    """
    show_numbered_page(row, page, boxes, (), caption)


def show_numbered_page(
    row: DocumentRow, page: int, boxes: list[list[float]], labels: Sequence[str], caption: str
) -> None:
    """Show a page as `show_page` does, with a word at each place.

    :param labels: a few letters or digits for each of the boxes; empty for none.
    """
    if not is_drawable(row):
        st.caption(t("Only pages of PDFs and pictures can be drawn.", "只有 PDF 和图片的页面可以显示为图像。"))
        return
    try:
        require_whole_page(row["doc_id"], page)
    except NotThereError:
        text = t(
            f"Page {page} is not shown: parts of it are closed to you, or nothing of it was read.",
            f"第 {page} 页不显示：其中有您无权查看的内容，或该页没有读出的内容。",
        )
        st.info(text)
        return
    try:
        drawn = page_image(row, page, boxes, labels=labels)
    except KhubError as error:
        st.warning(t("The page cannot be drawn: ", "无法显示该页：") + plain(str(error)))
        return
    st.image(drawn, caption=plain(caption), alt=caption, width="stretch")
