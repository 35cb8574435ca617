import pytest
from haystack import Document, Pipeline, component

from khub.components.errors import GraphError
from khub.eval.retrieve import ranking
from khub.eval.retrieve.ranking import BEFORE_ANSWER, CITATIONS, RANKED, load_ranking
from khub.server.graphs.load import Graph
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit


def test_the_graph_itself_is_asked_and_tells_its_ranking():
    loaded = load_ranking("query")
    assert (loaded.name, loaded.source) == ("query", BEFORE_ANSWER)
    assert loaded.graph.outputs == {"answer": "answer.answer", RANKED: "select.documents"}
    assert loaded.graph.pipeline is load_ranking("query").graph.pipeline  # not a copy of it
    loaded.check_legs()


def test_an_ingest_graph_is_refused():
    with raises_code("graph_kind_wrong", "kind 'ingest'"):
        load_ranking("ingest")


@component
class Guess:
    @component.output_types(answer=dict)
    def run(self, query: str) -> dict:
        return {"answer": {"citations": [], "query": query}}


def test_a_graph_without_a_ranking_before_its_answer_is_measured_by_its_citations(monkeypatch, tmp_path):
    pipeline = Pipeline()
    pipeline.add_component("guess", Guess())
    graph = Graph(
        "guess", tmp_path, pipeline, {}, {"query": ["guess.query"]}, {"answer": "guess.answer"}, "query", frozenset()
    )
    monkeypatch.setattr(ranking, "load_graph", lambda name: graph)
    loaded = load_ranking("guess")
    assert (loaded.source, loaded.graph) == (CITATIONS, graph)
    with pytest.raises(GraphError, match="no input 'legs'"):
        loaded.check_legs()


@component
class Ties:
    """Gives three documents of one score, as a joiner may leave them; with `ranks` where a ranker ordered them."""

    @component.output_types(documents=list[Document])
    def run(self, query: str, collection: str) -> dict:
        meta = {"source": "/files/x"} | ({"ranks": {}} if query == "ranked" else {})
        return {"documents": [Document(id=n, content="x", score=0.5, meta={**meta, "page": n}) for n in "cab"]}


@component
class Cite:
    @component.output_types(answer=dict)
    def run(self, documents: list[Document]) -> dict:
        return {"answer": {"answer": "", "citations": [], "abstained": False, "degraded": []}}


class Place:
    def relative(self, source: str) -> str:
        return source


@pytest.mark.parametrize(("query", "order"), [("tied", "abc"), ("ranked", "cab")])
def test_equal_scores_are_in_the_order_of_the_answer(tmp_path, query, order):
    pipeline = Pipeline()
    pipeline.add_component("ties", Ties())
    pipeline.add_component("cite", Cite())
    pipeline.connect("ties.documents", "cite.documents")
    inputs = {"query": ["ties.query"], "collection": ["ties.collection"]}
    outputs = {"answer": "cite.answer", RANKED: "ties.documents"}
    graph = Graph("ties", tmp_path, pipeline, {}, inputs, outputs, "query", frozenset())
    asked = ranking.Ranking("ties", graph, BEFORE_ANSWER, "").ask(query, Place(), None, 3)
    assert "".join(page for _, page in asked["ranked"]) == order
