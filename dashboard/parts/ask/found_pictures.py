"""Pictures of documents that fit a question."""

from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.language import t
from dashboard.parts.link import link_to
from dashboard.parts.plain_text import plain
from server.questions.ask import ask
from server.reads.hub_reads import document_of, title_of
from server.reads.relevant_pictures import pictures_for, words_of
from server.reads.scaled_picture import scaled_picture

SEARCHED = 20
MOST = 12
COLUMNS = 3


def show_found_pictures(question: str, collection: str) -> None:
    """Search the pictures of a collection by their words and by the passages around them, and show them.

    :raises KhubError: naming what is wrong with the question or the collection.
    """
    with st.spinner(t("Searching …", "检索中……")):
        answer = ask(question, collection, top_k=SEARCHED, heal=True)
        found = pictures_for(question, answer, answer["collection"], MOST)
    if not found:
        st.info(t("No picture of the documents matches these words.", "没有符合的图片。"))
        return
    for start in range(0, len(found), COLUMNS):
        for column, picture in zip(st.columns(COLUMNS), found[start : start + COLUMNS], strict=False):
            with column, st.container(border=True):
                _show(picture)


def _show(picture: dict[str, Any]) -> None:
    row = document_of(picture["doc_id"])
    words = words_of(picture).strip() or t("Picture without a caption", "无说明的图片")
    scaled = scaled_picture(Path(picture["path"]), picture["mime"])
    if scaled is None:
        st.caption(t("The picture cannot be read.", "图片无法读取。"))
    else:
        st.image(scaled[0], width="stretch", alt=words[:200])
    page = t(f" · page {picture['page']}", f" · 第 {picture['page']} 页") if picture["page"] else ""
    st.caption(plain(words[:200]))
    on_page = {"page": str(picture["page"])} if picture["page"] else {}
    link_to("documents", f"{plain(title_of(row))}{page}", doc=row["doc_id"], **on_page)
