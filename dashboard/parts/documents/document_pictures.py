"""The pictures of a document, with what is said of them."""

from pathlib import Path

import streamlit as st

from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.picture_row import PictureRow
from khub.dashboard.language import t, warning
from khub.dashboard.parts.paged_table import shown_part
from khub.dashboard.plain_text import plain
from khub.server.reads.hub_reads import catalog_of_hub
from khub.server.reads.scaled_picture import scaled_picture

PICTURES = 12


def show_pictures(row: DocumentRow) -> None:
    """Show the pictures that the visitor may see, twelve at a time.

    :param row: of the document, from the catalog.
    """
    images = catalog_of_hub().images
    ids = shown_part(images.opened(row["doc_id"]), PICTURES, "pictures part")
    found = images.get(list(ids))
    columns = st.columns(2)
    for number, image_id in enumerate(image_id for image_id in ids if image_id in found):
        with columns[number % 2], st.container(border=True):
            _show_picture(found[image_id])


def _show_picture(picture: PictureRow) -> None:
    said = picture["caption"] or picture["alt"] or picture["description"]
    scaled = scaled_picture(Path(picture["path"]), picture["mime"])
    where = t(f"page {picture['page']}", f"第 {picture['page']} 页") if picture["page"] else ""
    if scaled is None:
        warning("The file of this picture is damaged or gone.", "该图片的文件已损坏或丢失。")
    else:
        alt = said or picture["text"][:300] or t("A picture without a caption", "无说明的图片")
        st.image(scaled[0], caption=plain(said) or None, alt=alt)
    st.caption(" · ".join(plain(fact) for fact in (where, f"{picture['width']} × {picture['height']}") if fact))
    for label, text in (
        (t("Text in it", "图中文字"), picture["text"]),
        (t("Description", "描述"), picture["description"]),
    ):
        if text:
            with st.expander(label):
                st.text(text)
