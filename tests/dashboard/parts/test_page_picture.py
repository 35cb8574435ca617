"""A page as a picture, or the reason why there is none."""

import io

import pytest
from PIL import Image, ImageChops
from streamlit.testing.v1 import AppTest

from khub.components.catalog.catalog import open_catalog
from khub.server.reads.hub_reads import reader
from khub.server.reads.page_image import boxes_on, page_image
from tests.dashboard.conftest import COLLECTION, RUN_S, texts


def _shown(doc_id, page, levels=None):
    def script(doc_id, page, levels):
        from khub.components.catalog.access import Caller, calling_as
        from khub.dashboard.parts.page_picture import show_page
        from khub.server.reads.hub_reads import document_of

        with calling_as(Caller("somebody", levels)):
            show_page(document_of(doc_id), page, [], "A caption: *so*")

    opened = AppTest.from_function(script, default_timeout=RUN_S, args=(doc_id, page, levels)).run()
    assert not opened.exception, opened.exception
    return opened


def _document(doc_type):
    rows = reader().documents(COLLECTION, 0, 10)
    return next(row for row in rows if row["doc_type"] == doc_type)


@pytest.mark.integration
def test_a_page_is_shown_with_what_it_is(hub):
    page = _shown(_document("pdf")["doc_id"], 1)
    (picture,) = page.image
    assert picture.proto.imgs[0].alt == "A caption: *so*"
    assert picture.proto.imgs[0].caption == "A caption\\: \\*so\\*"


@pytest.mark.integration
def test_a_document_without_pages_has_none(hub):
    page = _shown(_document("markdown")["doc_id"], 1)
    assert not page.image
    assert "PDF" in texts(page)


@pytest.mark.integration
def test_a_damaged_original_is_told(hub):
    row = _document("pdf")
    open_catalog().originals.path(row["sha256"], row["source"]).write_bytes(b"%PDF-1.7 broken")
    page = _shown(row["doc_id"], 1)
    assert not page.image
    assert "cannot be drawn" in texts(page)


@pytest.mark.integration
def test_a_page_with_a_closed_passage_is_not_shown(hub):
    row = _document("pdf")
    first, *others = reader().chunks_of_section(row["doc_id"], "")
    with open_catalog().database.transaction() as connection:
        for chunk, level in ((first, "secret"), *((other, "public") for other in others)):
            connection.execute(
                "UPDATE chunks SET meta = json_set(meta, '$.access_level', ?) WHERE chunk_id = ?", (level, chunk.id)
            )
    page = _shown(row["doc_id"], first.meta["page"], ("public",))
    assert not page.image
    assert "closed to you" in texts(page)


@pytest.mark.integration
def test_labels_are_drawn_beside_their_boxes(hub):
    row = _document("pdf")
    (box, *_) = boxes_on(reader().chunks_of_pages(row["doc_id"], 1, 1)[0], 1)
    bare, labelled = (Image.open(io.BytesIO(page_image(row, 1, [box], labels=labels))) for labels in ((), ["7"]))
    left, top, right, _ = ImageChops.difference(bare, labelled).getbbox()
    scale = max(bare.size) / 842  # of A4 in points
    assert box[0] - 20 < left / scale < right / scale < box[0]
    assert abs(top / scale - box[1]) < 5
