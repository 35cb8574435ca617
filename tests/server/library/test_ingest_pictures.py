"""Pictures through the shipped ingest graph, where OCR is not installed."""

import io

import pytest
from PIL import Image

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.scanned_pages import NEEDS_OCR
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from khub.server.reads.page_image import is_drawable, page_image

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("converted_here")]


@pytest.fixture
def pictures(tmp_path, pipelines, monkeypatch):
    monkeypatch.setattr("khub.components.ocr.ocr_reader.is_installed", lambda: False)
    folder = tmp_path / "pictures"
    folder.mkdir()
    Image.new("RGB", (400, 300), "green").save(folder / "kingfisher_nest.png")
    Image.new("L", (300, 400)).save(folder / "fax.tif", save_all=True, append_images=[Image.new("1", (300, 200))])
    return folder


def test_a_picture_is_a_document_that_is_found_by_its_name_shown_and_told_to_wait(pictures):
    result = ingest([str(pictures)])
    assert result.failed == []
    assert {(one["pages"], one["chunks"]) for one in result.written} == {(1, 1), (2, 1)}
    told = {entry["source"]: (entry["pages"], entry["remedy"]) for entry in result.degraded}
    assert told == {
        str(pictures / "fax.tif"): ([1, 2], NEEDS_OCR),
        str(pictures / "kingfisher_nest.png"): ([1], NEEDS_OCR),
    }
    assert len(ingest([str(pictures)]).unchanged) == 2

    (found, *_) = ask("kingfisher nest").citations
    assert found.source == str(pictures / "kingfisher_nest.png")
    assert found.images == [f"{found.doc_id}_1_1"]


def test_its_pages_are_drawn_with_places_marked(pictures):
    ingest([str(pictures)])
    rows = {row["source"].rpartition("/")[2]: row for row in open_catalog().documents.of_collection("default")}
    nest, fax = rows["kingfisher_nest.png"], rows["fax.tif"]
    assert (nest["doc_type"], is_drawable(nest)) == ("image", True)
    plain = Image.open(io.BytesIO(page_image(nest, 1, [])))
    marked = Image.open(io.BytesIO(page_image(nest, 1, [[100, 100, 200, 200]])))
    assert plain.size == marked.size == (400, 300)
    assert plain.getpixel((150, 150)) == (0, 128, 0)
    assert marked.getpixel((150, 150)) != (0, 128, 0)
    assert marked.getpixel((300, 250)) == (0, 128, 0)
    assert Image.open(io.BytesIO(page_image(fax, 2, []))).size == (300, 200)
