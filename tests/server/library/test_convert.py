"""What `khub convert` shows is what the ingest graph reads."""

import pytest
from haystack import Document

from khub.components.catalog.catalog import open_catalog
from khub.components.errors import SourceError
from khub.components.extras import install_extra
from khub.server.library.convert import convert_file, with_page_marks
from khub.server.library.ingest import ingest
from tests.components.converters.files import write_pages
from tests.error_codes import raises_code
from tests.server.hub_files import PIPELINES, edit

SAMPLES = PIPELINES.parent / "eval" / "samples"


@pytest.fixture(autouse=True)
def _shipped(pipelines, converted_here):
    pass


@pytest.mark.integration
def test_a_pdf_with_its_pages_and_nothing_is_stored(tmp_path):
    converted = convert_file(str(SAMPLES / "travel-policy-zh.pdf"))
    text, meta = converted.document.content, converted.document.meta
    assert (converted.graph, meta["doc_type"], meta["page_count"]) == ("ingest", "pdf", len(meta["page_starts"]))
    assert meta["blocks"]
    marked = with_page_marks(converted.document)
    assert marked.startswith("<!-- page 1 -->\n\n")
    assert f"<!-- page {meta['page_count']} -->" in marked
    second = marked.partition("<!-- page 2 -->")[2]
    assert second.strip().startswith(text[meta["page_starts"][1] :].strip()[:20])
    assert not (tmp_path / "home" / "catalog.sqlite3").exists()


@pytest.mark.integration
def test_it_is_the_text_that_is_ingested(notes):
    text = convert_file(str(notes / "birds.md")).document.content
    ingest([str(notes / "birds.md")])
    (chunk,) = open_catalog().chunks.visible("default")
    assert text[chunk.meta["start"] : chunk.meta["end"]] == chunk.content


@pytest.mark.integration
def test_the_graph_decides(pipelines):
    file = str(SAMPLES / "travel-policy-zh.pdf")
    edit(pipelines / "ingest_fast.yaml", "timeout_s: 60", "timeout_s: 60\n      pdf_engine: markitdown")
    assert "page_starts" not in convert_file(file, "ingest_fast").document.meta
    assert "page_starts" in convert_file(file).document.meta


@pytest.mark.integration
def test_a_file_that_cannot_be_converted_is_told(notes, tmp_path):
    (notes / "broken.pdf").write_bytes(b"%PDF-1.7 nothing more")
    (notes / "blank.md").write_text(" \n", encoding="utf-8")
    for name, said in (("broken.pdf", "broken.pdf"), ("blank.md", "has no text"), ("gone.md", "does not exist")):
        with pytest.raises(SourceError, match=said):
            convert_file(str(notes / name))
    with raises_code("source_kind_wrong", "notes'"):
        convert_file(str(notes))


@pytest.mark.integration
def test_a_scan_goes_through_the_graphs_ocr(notes, monkeypatch):
    monkeypatch.setattr("khub.components.ocr.ocr_reader.is_installed", lambda: False)
    file = notes / "scan.pdf"
    file.write_bytes(write_pages([""], images={0: (0, 0, 612, 792)}))
    with pytest.raises(SourceError, match="OCR is not installed") as caught:
        convert_file(str(file))
    assert install_extra("ocr") in caught.value.remedy
    assert convert_file(str(file), ocr=False).document.meta["needs_ocr"] == [1]


@pytest.mark.integration
@pytest.mark.parametrize("graph", ["query", "ingest_rows"])
def test_a_graph_without_a_converter_is_refused(notes, graph):
    with raises_code("graph_stage_missing", f"'{graph}'"):
        convert_file(str(notes / "birds.md"), graph)


@pytest.mark.unit
def test_pages_without_text_have_their_mark_too():
    document = Document(content="one\n\nthree", meta={"page_starts": [0, 5, 5]})
    assert with_page_marks(document) == "<!-- page 1 -->\n\none\n\n<!-- page 2 -->\n\n<!-- page 3 -->\n\nthree"
    assert with_page_marks(Document(content="# No pages")) == "# No pages"
