"""Pictures in a space of vectors: embedded at ingest, found by a question and by an example."""

import io
import shutil
from pathlib import Path

import pytest
from pptx import Presentation
from pptx.util import Inches

from khub.components.catalog.access import Caller, calling_as
from khub.components.catalog.catalog import open_catalog
from khub.components.errors import KhubError
from khub.components.question import Question
from khub.components.retrievers.bound_pictures import _built
from khub.components.retrievers.image_retriever import ImageRetriever
from khub.eval.bench.drawn_figures import figures
from khub.server.jobs.deletions import delete_document
from khub.server.library.collections import reindex
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from khub.server.questions.pictures import pictures_by_words, pictures_like
from tests.docs.markdown import ROOT, blocks
from tests.docs.unified_diff import edit
from tests.error_codes import raises_code

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("converted_here")]

MODEL = "sentence-transformers/clip-ViT-B-32"
PAGE = ROOT / "docs" / "graphs" / "images.md"
TOPICS = ("turnover", "staff", "rainfall")


@pytest.fixture
def graphs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_clip) -> Path:
    """The shipped graphs with the changes that the page shows, and a model of the tests in them."""
    folder = tmp_path / "graphs"
    (folder / "pipelines").mkdir(parents=True)
    for name in ("ingest", "query"):
        (folder / "pipelines" / f"{name}.yaml").write_text(
            (ROOT / "pipelines" / f"{name}.yaml").read_text("utf-8"), "utf-8"
        )
    for block in blocks(PAGE, "diff"):
        edit(block.text, folder)
        changed = [line for line in block.text.splitlines()[2:] if line[0] in "+-"]
        assert len(changed) <= 8
    change(folder, MODEL, str(make_clip()))
    monkeypatch.setenv("KHUB_PIPELINES", str(folder / "pipelines"))
    return folder


def change(folder: Path, old: str, new: str) -> None:
    file = folder / "pipelines" / "ingest.yaml"
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """Three slides, each with a figure and words of its own."""
    slides = Presentation()
    for topic, picture in zip(TOPICS, figures(7, 24)[::8], strict=True):
        slide = slides.slides.add_slide(slides.slide_layouts[1])
        slide.shapes.title.text = f"About {topic}"
        slide.placeholders[1].text = f"What follows is the chart of {topic} in each quarter. " * 8
        slide.shapes.add_picture(io.BytesIO(png(picture)), Inches(1), Inches(3))
    path = tmp_path / "report.pptx"
    slides.save(str(path))
    return path


def vectors() -> set[str]:
    rows = open_catalog().database.rows("SELECT sha256, fingerprint FROM picture_vectors")
    return {f"{row[0]} {row[1]}" for row in rows}


def png(picture) -> bytes:
    file = io.BytesIO()
    picture.convert("RGB").save(file, "PNG")
    return file.getvalue()


def test_a_question_for_a_picture_searches_the_pictures(graphs, report):
    assert not ingest([str(report)], "work").failed
    assert len(vectors()) == 3

    plain = ask("What about turnover in each quarter?", "work")
    asked = ask("Show me the chart of turnover in each quarter", "work")

    legs = {leg.name: leg for leg in plain.legs}
    assert (legs["pictures"].used, legs["pictures"].hits) == (False, 0)
    legs = {leg.name: leg for leg in asked.legs}
    assert legs["pictures"].used
    assert legs["pictures"].hits >= 1
    assert asked.degraded == []
    assert any("pictures" in citation.ranks for citation in asked.citations)


def test_the_nearest_picture_comes_first(graphs, report):
    assert not ingest([str(report)], "work").failed
    catalog = open_catalog()
    (doc,) = catalog.documents.of_collection("work")
    for picture in catalog.images.of_document(doc["doc_id"]):
        found = pictures_like(Path(picture["path"]).read_bytes(), "work", 3)
        assert found.pictures[0]["image_id"] == picture["image_id"]
        assert found.degraded == []
        assert len(found.pictures) == 3  # what is only alike follows the copy

    shown = pictures_by_words("rainfall", ask("rainfall", "work"), 3)
    assert shown.degraded == []
    data = shown.as_data()["images"]
    assert len(data) == 3
    assert all(image["chunk_id"] and image["around"] for image in data)


def test_a_graph_without_the_stage_says_that_its_pictures_have_no_vectors(graphs, report):
    assert not ingest([str(report)], "work").degraded
    (graphs / "pipelines" / "plain.yaml").write_text((ROOT / "pipelines" / "ingest.yaml").read_text("utf-8"), "utf-8")
    another = report.with_name("another.pptx")
    shutil.copy(report, another)
    assert [entry["stage"] for entry in ingest([str(another)], "work", "plain").degraded] == ["pictures"]


def test_filters_keep_pictures_behind_the_nearest_ones(graphs, report):
    assert not ingest([str(report)], "work").failed
    for page in (1, 2, 3):
        only = {"field": "meta.page", "operator": "==", "value": page}
        question = Question("rainfall", text="rainfall", collection="work", filters=only)
        found = ImageRetriever(top_k=1, always=True).run(question)["documents"]
        assert [document.meta["page"] for document in found] == [page]


def test_another_model_is_refused_and_reindex_moves_over(graphs, report, make_clip):
    assert not ingest([str(report)], "work").failed
    before = vectors()
    folder = open_catalog().collections.binding("work")["pictures"]["identity"]["model"]
    other = make_clip(seed=1, dimension=8)
    change(graphs, folder, str(other))

    with raises_code("binding_embedder", "pictures", "khub reindex --collection work"):
        ingest([str(report)], "work")
    report.unlink()  # nothing is read again
    reindex("work")

    assert len(vectors()) == 3
    assert not vectors() & before
    assert ask("Show me the chart of staff", "work").degraded == []


def test_a_collection_from_before_is_embedded_by_reindex(graphs, report, monkeypatch):
    monkeypatch.setenv("KHUB_PIPELINES", str(ROOT / "pipelines"))
    assert not ingest([str(report)], "work").failed
    assert vectors() == set()
    found = pictures_by_words("rainfall", ask("rainfall", "work"), 3)
    assert (found.degraded, bool(found.hint)) == ([], True)
    monkeypatch.setenv("KHUB_PIPELINES", str(graphs / "pipelines"))

    reindex("work")

    assert len(vectors()) == 3
    assert pictures_by_words("rainfall", ask("rainfall", "work"), 3).degraded == []


def test_a_deleted_document_leaves_no_vector(graphs, report):
    assert not ingest([str(report)], "work").failed
    delete_document(str(report), "work")
    assert vectors() == set()


def test_closed_pictures_are_found_by_nobody_else(graphs, report, monkeypatch):
    assert not ingest([str(report)], "work", meta={"access_level": "board"}).failed
    (doc,) = open_catalog().documents.of_collection("work")
    data = Path(open_catalog().images.of_document(doc["doc_id"])[0]["path"]).read_bytes()
    assert pictures_like(data, "work", 3).pictures
    with (
        calling_as(Caller("x", collections=frozenset({"other"}))),
        pytest.raises(KhubError, match="no collection 'work'"),
    ):
        pictures_like(data, "work", 3)
    monkeypatch.setenv("KHUB_ACCESS", "public")
    with pytest.raises(KhubError):
        pictures_like(data, "work", 3)
    assert ask_closed() == []


def ask_closed() -> list[dict]:
    try:
        return ask("Show me the chart of staff", "work").citations
    except KhubError:
        return []


def test_a_model_that_has_gone_leaves_the_other_ways(graphs, report):
    assert not ingest([str(report)], "work").failed
    shutil.move(open_catalog().collections.binding("work")["pictures"]["identity"]["model"], graphs / "gone")
    _built.cache_clear()
    package = "haystack_integrations.components.embedders.sentence_transformers"
    backend = pytest.importorskip(f"{package}.embedding_backend.backend")
    backend._SentenceTransformersEmbeddingBackendFactory._instances.clear()  # what the process has loaded

    found = pictures_by_words("rainfall", ask("rainfall", "work"), 3)

    assert found.pictures
    assert [entry["stage"] for entry in found.degraded] == ["pictures"]


def test_text_and_pictures_of_different_spaces_are_refused(graphs, report, make_clip):
    text_type = (
        "haystack_integrations.components.embedders.sentence_transformers.sentence_transformers_text_embedder"
        ".SentenceTransformersTextEmbedder"
    )
    other = make_clip(seed=1, dimension=8)
    text = f"      text_embedder: {{type: {text_type}, init_parameters: {{model: {other}}}}}"
    before = "      embedder: {type: haystack_integrations"
    change(graphs, before, f"{text}\n{before}")
    assert not ingest([str(report)], "work").failed
    found = pictures_by_words("rainfall", ask("rainfall", "work"), 3)
    assert "dimensions" in found.degraded[0]["reason"]
