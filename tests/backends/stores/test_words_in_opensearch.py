"""Words and vectors in OpenSearch, by the diff of the page, against a server that plays its documented interface."""

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.question import Expansion
from khub.components.stores.bound_keywords import bound_keywords
from khub.server.jobs.deletions import delete_document
from khub.server.library.collections import reindex
from khub.server.library.doctor import diagnose
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from tests.backends.stores.search_engine import SearchEngine
from tests.docs.test_diffs import the_diff
from tests.docs.unified_diff import apply
from tests.server.hub_files import PIPELINES, copy_pipelines

pytest.importorskip("haystack_integrations.document_stores.opensearch")
pytestmark = pytest.mark.integration


@pytest.fixture
def engine(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    started = SearchEngine("opensearch")
    yield started
    started.stop()
    assert started.refused == []


@pytest.fixture
def notes(engine, tmp_path, monkeypatch, converted_here):
    """Three notes in a collection of the engine, by graph `engine`."""
    folder = copy_pipelines(tmp_path)
    shipped = (PIPELINES / "ingest.yaml").read_text(encoding="utf-8").replace("model: khub-base", "model: khub-fast")
    text = apply(the_diff("OpenSearchBM25Retriever"), shipped).replace("http://127.0.0.1:9200", engine.address)
    (folder / "engine.yaml").write_text(text, encoding="utf-8")
    (folder / "tantivy.yaml").write_text(shipped, encoding="utf-8")
    monkeypatch.setenv("KHUB_PIPELINES", str(folder))
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "birds.md").write_text("# Birds\n\nHerons wade slowly in shallow water; see E-4013.\n", encoding="utf-8")
    (notes / "fish.md").write_text("# Fish\n\nTrout swim upstream in rivers and shallow lakes.\n", encoding="utf-8")
    (notes / "leave.md").write_text("# 休假\n\n婚假为十天，须提前两周申请。\n", encoding="utf-8")
    assert len(ingest([str(notes)], graph_name="engine").written) == 3
    return notes


def titles(question, **options):
    answer = ask(question, **options)
    assert answer.degraded == []
    return [citation.title for citation in answer.citations]


def assert_whole(engine):
    assert [one.findings.problems for one in diagnose(full=True)] == [[]]
    assert list(engine.indexes) == [open_catalog().index_states.state("default").physical("dense")]


def keyword_folders():
    return list((open_catalog().home / "sparse").glob("*"))


def test_the_keyword_leg_is_the_engines(engine, notes):
    mapping = engine.created[-1]["mappings"]["properties"]
    assert (mapping["content"], mapping["embedding"]["type"]) == (
        {"type": "text", "analyzer": "whitespace"},
        "knn_vector",
    )
    assert keyword_folders() == []
    assert titles("E-4013", legs=["sparse"]) == ["Birds"]
    assert titles("婚假几天", legs=["sparse"])[0] == "休假"
    assert titles('"shallow lakes"', legs=["sparse"]) == ["Fish"]
    assert titles("shallow", legs=["sparse"], filters={"field": "meta.title", "operator": "==", "value": "Fish"}) == [
        "Fish"
    ]
    assert titles("How do herons wade?")[0] == "Birds"
    assert_whole(engine)


def test_words_beside_the_questions_own_count_as_their_weight_says(engine, notes):
    asked = bound_keywords(open_catalog(), "default")
    own, other = (dict(asked.search([term], 10)) for term in ("shallow", "river"))
    assert other
    assert set(other) < set(own)
    for weight in (0.5, 1.5):
        expansion = Expansion(["river"], phrase=False, weight=weight, of="lakes")
        both = dict(asked.search(["shallow"], 10, expansions=[expansion]))
        assert both == pytest.approx({key: score + weight * other.get(key, 0) for key, score in own.items()})


def told_of_words():
    terms = ["herons", "heron", "shallow", "婚假", "e-4013", "zebra"]
    asked = bound_keywords(open_catalog(), "default")
    held = [asked.holds(characters) for characters in (["婚昏", "假嫁"], ["婚", "十"], ["婚", "假", "为"])]
    return asked.holding(terms), asked.coverage(terms), asked.rarity(terms), asked.languages(["zh", "fr"]), held


def test_what_the_engine_says_of_words_is_what_tantivy_says(engine, notes):
    of_engine = told_of_words()
    assert of_engine[-1] == [True, False, True]
    reindex("default", "tantivy")
    assert told_of_words() == of_engine


def test_changes_and_deletions_are_the_engines_too(engine, notes):
    (notes / "birds.md").write_text("# Owls\n\nOwls hunt at night.\n", encoding="utf-8")
    ingest([str(notes)], graph_name="engine")
    assert "Birds" not in titles("herons wade", legs=["sparse"])
    assert titles("owls", legs=["sparse"]) == ["Owls"]
    delete_document("leave.md", "default")
    assert "休假" not in titles("婚假几天", legs=["sparse"])
    assert_whole(engine)


def test_the_doctor_finds_and_rebuilds_lost_words(engine, notes):
    (index,) = engine.indexes.values()
    for row in index.written.values():
        row["content"] = "nothing"
    index.refresh()
    assert "3 of 3 chunks are not found by their own words" in diagnose()[0].findings.problems[0]
    assert diagnose(repair=True)[0].healthy
    assert titles("婚假几天", legs=["sparse"])[0] == "休假"
    assert_whole(engine)


def test_a_collection_moves_to_tantivy_and_back(engine, notes):
    asked = [("How do herons wade?", None), ("婚假几天", ["sparse"]), ("upstream in rivers", ["sparse"])]
    before = [titles(question, legs=legs)[0] for question, legs in asked]
    reindex("default", "tantivy")
    assert engine.indexes == {}
    assert len(keyword_folders()) == 1
    assert [titles(question, legs=legs)[0] for question, legs in asked] == before
    assert [one.findings.problems for one in diagnose(full=True)] == [[]]
    reindex("default", "engine")
    ingest([str(notes)], graph_name="engine")  # a writer that comes later takes what is left of tantivy away
    assert [titles(question, legs=legs)[0] for question, legs in asked] == before
    assert_whole(engine)
    assert keyword_folders() == []
