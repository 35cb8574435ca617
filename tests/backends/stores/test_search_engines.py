"""OpenSearch and Elasticsearch through the hub, against a server that plays their documented interface."""

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.errors import StoreError
from khub.components.stores import consistency
from khub.components.trust import decide_secret
from khub.server.graphs.opened_parts import open_parts
from khub.server.jobs.deletions import delete_document
from khub.server.library.collections import delete_collection, reindex
from khub.server.library.doctor import diagnose
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from tests.backends.stores.search_engine import SUBJECTS, RefusedError, SearchEngine, basic
from tests.docs.markdown import PAGES, blocks
from tests.docs.unified_diff import apply
from tests.server.hub_files import PIPELINES, copy_pipelines

pytestmark = pytest.mark.integration

QUESTION = "How do herons wade?"
SECRETS = {
    "opensearch": {"OPENSEARCH_USERNAME": "hub", "OPENSEARCH_PASSWORD": "s3cret"},
    "elasticsearch": {"ELASTIC_API_KEY": "c2VjcmV0"},
}


@pytest.fixture(params=sorted(SUBJECTS))
def engine(request, monkeypatch):
    """A server that wants the key which is in the environment."""
    pytest.importorskip(f"haystack_integrations.document_stores.{request.param}")
    keys = SECRETS[request.param]
    header = basic("hub", "s3cret") if request.param == "opensearch" else "ApiKey c2VjcmV0"
    started = SearchEngine(request.param, header)
    for name, value in keys.items():
        monkeypatch.setenv(name, value)
        decide_secret(name, "127.0.0.1", True)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield started
    started.stop()
    assert started.refused == []


@pytest.fixture
def graphs(engine, tmp_path, monkeypatch):
    """The shipped graphs, and `engine`: the diff of the page, with the address of the server."""
    folder = copy_pipelines(tmp_path)
    (diff,) = {
        b.text
        for page in PAGES
        for b in blocks(page, "diff")
        if SUBJECTS[engine.kind] in b.text and "keywords" not in b.text
    }
    text = apply(diff, (PIPELINES / "ingest.yaml").read_text(encoding="utf-8"))
    text = text.replace("http://127.0.0.1:9200", engine.address)
    (folder / "engine.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("KHUB_PIPELINES", str(folder))
    return folder


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "birds.md").write_text("# Birds\n\nHerons wade slowly in shallow water.\n", encoding="utf-8")
    (folder / "fish.md").write_text("# Fish\n\nTrout swim upstream in cold rivers.\n", encoding="utf-8")
    return folder


def told():
    answer = ask(QUESTION)
    assert answer.degraded == []
    assert [leg.used for leg in answer.legs] == [True, True]
    return [citation.text for citation in answer.citations]


def assert_healthy(engine):
    assert [one.findings.problems for one in diagnose(full=True)] == [[]]
    assert list(engine.indexes) == [open_catalog().index_states.state("default").physical("dense")]


def test_ingest_ask_update_delete(engine, graphs, notes):
    assert len(ingest([str(notes)], graph_name="engine").written) == 2
    assert "Herons wade slowly" in told()[0]
    assert_healthy(engine)
    (notes / "birds.md").write_text("# Birds\n\nHerons wade quickly in deep water.\n", encoding="utf-8")
    assert len(ingest([str(notes)], graph_name="engine").written) == 1
    assert "Herons wade quickly" in told()[0]
    assert_healthy(engine)
    delete_document("birds.md")
    assert not any("Herons" in text for text in told())
    assert_healthy(engine)
    assert delete_collection("default") == 1
    assert engine.indexes == {}


def test_more_hits_than_a_page_of_the_engine_are_found(engine, graphs, notes):
    for number in range(40):
        text = f"# Heron {number}\n\nHeron number {number} wades in water {number}.\n"
        (notes / f"{number}.md").write_text(text, encoding="utf-8")
    ingest([str(notes)], graph_name="engine")
    (dense, _) = ask(QUESTION).legs
    assert dense.hits >= 30
    assert_healthy(engine)


def test_move_there_and_back(engine, graphs, notes):
    ingest([str(notes)])
    before = told()
    for graph in ("engine", "ingest"):
        assert reindex("default", graph)["left"] == []
        assert told() == before
    assert engine.indexes == {}
    assert [one.findings.problems for one in diagnose(full=True)] == [[]]


@pytest.mark.parametrize("status", [401, 429, 503])
def test_engine_that_refuses_is_said_once_and_loses_nothing(engine, graphs, notes, status):
    ingest([str(notes / "fish.md")], graph_name="engine")
    kinds = {401: "security_exception", 429: "rejected_execution_exception", 503: "cluster_block_exception"}
    engine.fails = RefusedError(status, kinds[status], "no")
    with pytest.raises(StoreError, match=f"document store {SUBJECTS[engine.kind]} fails .*{status}"):
        ingest([str(notes)], graph_name="engine")
    answer = ask("Trout", legs=["dense", "sparse"])
    assert "Trout" in answer.citations[0].text
    engine.fails = None
    assert len(ingest([str(notes)], graph_name="engine").written) == 1
    told()
    assert_healthy(engine)


def test_new_collection_is_taken_back_where_the_engine_lets_nobody_in(engine, graphs, notes):
    engine.authorization = "Basic other"
    with pytest.raises(StoreError, match="401"):
        ingest([str(notes)], graph_name="engine")
    assert open_catalog().collections.names() == []
    assert engine.indexes == {}


def test_write_that_the_engine_rejects_in_part_is_an_error(engine, graphs, notes):
    ingest([str(notes / "fish.md")], graph_name="engine")
    engine.rejects_writes = True
    with pytest.raises(StoreError, match=f"document store {SUBJECTS[engine.kind]} fails"):
        ingest([str(notes)], graph_name="engine")
    assert not any("Herons" in citation.text for citation in ask(QUESTION).citations)
    engine.rejects_writes = False
    assert len(ingest([str(notes)], graph_name="engine").written) == 1
    told()
    assert_healthy(engine)


def test_doctor_compares_numbers_where_the_engine_lists_no_more(engine, graphs, notes, monkeypatch):
    (notes / "late.md").write_text("# Eels\n\nEels cross the ocean at night.\n", encoding="utf-8")
    ingest([str(notes)], graph_name="engine")
    search = SearchEngine._search

    def lists_one(self, index, body, query):  # OpenSearch gives as many as it may, Elasticsearch refuses a further page
        if "size" in body:
            return search(self, index, {**body, "size": 1}, query)
        if "knn" not in body:
            raise RefusedError(429, "illegal_argument_exception", "Result window is too large")
        return search(self, index, body, query)

    monkeypatch.setattr(SearchEngine, "_search", lists_one)
    monkeypatch.setattr(consistency, "MOST_LISTED", 1)
    assert diagnose()[0].findings.problems == []
    monkeypatch.setattr(consistency, "SAMPLE", 0)
    (index,) = engine.indexes.values()
    index.written.popitem()
    index.refresh()
    assert diagnose()[0].findings.problems == ["dense index: 2 vectors, 3 chunks"]


def test_graph_check_opens_the_engine_and_leaves_nothing(engine, graphs):
    parts = {part.part: (part.state, part.said) for part in open_parts(graphs / "engine.yaml")}
    assert parts[SUBJECTS[engine.kind]] == ("opened", "takes 384 dimensions")
    assert engine.indexes == {}
    engine.authorization = "Basic other"
    assert {part.part: part.state for part in open_parts(graphs / "engine.yaml")}[
        SUBJECTS[engine.kind]
    ] == "could not be opened"


def test_engine_is_told_no_secret_before_the_user_allows_it(engine, graphs, notes):
    for name in SECRETS[engine.kind]:
        decide_secret(name, "127.0.0.1", False)
    with pytest.raises(Exception, match=r"sends \w+ to 127\.0\.0\.1"):
        ingest([str(notes)], graph_name="engine")
    assert engine.asked == []
