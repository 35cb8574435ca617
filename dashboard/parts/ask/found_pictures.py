"""Pictures of documents that fit a question, or that look like an example."""

from pathlib import Path

import streamlit as st

from khub.components.catalog.picture_row import PictureRow
from khub.dashboard.language import caption, info, t
from khub.dashboard.parts.link import link_to
from khub.dashboard.plain_text import plain
from khub.dashboard.visitor import may_write
from khub.server.hub import Hub
from khub.server.questions.pictures import FoundPictures, pictures_by_words, pictures_like
from khub.server.reads.example_picture import LARGEST_FILE
from khub.server.reads.hub_reads import document_of, title_of
from khub.server.reads.relevant_pictures import words_of
from khub.server.reads.scaled_picture import scaled_picture

SEARCHED = 20
MOST = 12
COLUMNS = 3
TYPES = ["png", "jpg", "jpeg", "webp", "gif", "bmp", "tif", "tiff"]


def show_found_pictures(question: str, collection: str | None) -> None:
    """Search the pictures of a collection by their words and by the passages around them, and show them.

    :raises KhubError: naming what is wrong with the question or the collection.
    """
    with st.spinner(t("Searching …", "检索中……")):
        found = pictures_by_words(question, Hub(heal=True).ask(question, collection, top_k=SEARCHED), MOST)
    by_words = t("Pictures are compared by their words alone", "图片只按其文字比较")
    if not found.pictures:
        info("No picture of the documents matches these words.", "没有符合的图片。")
    _show_all(found, by_words)


def show_example_box(collection: str | None) -> None:
    """Take a picture, and show those of a collection that look like it.

    :raises KhubError: if it cannot be read.
    """
    if not may_write():  # the door takes no file of others: each would stand in memory
        caption("To find by a picture of your own, you need the right to write.", "以图找图需要可写的权限。")
        return
    sent = st.file_uploader(
        t("Or find by a picture: a copy, a part, a screenshot", "或以图找图：原图、局部或截图"),
        TYPES,
        max_upload_size=LARGEST_FILE // 1_000_000,
    )
    if sent is None:
        return
    with st.spinner(t("Searching …", "检索中……")):
        found = pictures_like(sent.getvalue(), collection, MOST)
    by_copies = t("Pictures are compared by copies and parts alone", "图片只比较是否为原图或局部")
    if not found.pictures:
        info("No picture of the documents looks like this one.", "没有与之相似的图片。")
    _show_all(found, by_copies)


def _show_all(found: FoundPictures, compared: str) -> None:
    for start in range(0, len(found.pictures), COLUMNS):
        for column, picture in zip(st.columns(COLUMNS), found.pictures[start : start + COLUMNS], strict=False):
            with column, st.container(border=True):
                _show(picture)
    for entry in found.degraded:
        st.caption(plain(entry["reason"]))
    if found.hint:
        how = t("(docs/graphs/images.md: by what they show)", "（按内容比较见 docs/graphs/images.md）")
        st.caption(plain(f"{compared} {how}"))


def _show(picture: PictureRow) -> None:
    row = document_of(picture["doc_id"])
    words = words_of(picture).strip() or t("Picture without a caption", "无说明的图片")
    scaled = scaled_picture(Path(picture["path"]), picture["mime"])
    if scaled is None:
        caption("The picture cannot be read.", "图片无法读取。")
    else:
        st.image(scaled[0], width="stretch", alt=words[:200])
    page = t(f" · page {picture['page']}", f" · 第 {picture['page']} 页") if picture["page"] else ""
    st.caption(plain(words[:200]))
    on_page = {"page": str(picture["page"])} if picture["page"] else {}
    link_to("documents", f"{plain(title_of(row))}{page}", doc=row["doc_id"], **on_page)
