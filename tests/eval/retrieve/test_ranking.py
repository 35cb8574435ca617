import pytest
import yaml
from haystack import Document, Pipeline, component

from components.errors import GraphError
from eval.retrieve import ranking
from eval.retrieve.ranking import BEFORE_ANSWER, CITATIONS, RANKED, load_ranking
from server.graphs.load import Graph, find_graph

pytestmark = pytest.mark.unit


def test_the_graph_itself_is_asked_and_tells_its_ranking():
    loaded = load_ranking("query")
    assert (loaded.name, loaded.source) == ("query", BEFORE_ANSWER)
    assert loaded.graph.outputs == {"answer": "answer.answer", RANKED: "select.documents"}
    assert loaded.graph.pipeline is load_ranking("query").graph.pipeline  # not a copy of it
    loaded.check_legs()


def test_an_ingest_graph_is_refused():
    with pytest.raises(GraphError, match="'ingest' is of kind 'ingest'"):
        load_ranking("ingest")


def test_depth_raises_what_is_smaller_in_a_copy(tmp_path):
    plain, deep = load_ranking("query"), load_ranking("query", depth=25)
    assert deep.name == "query"
    assert deep.digest != plain.digest
    assert deep.graph.path.is_relative_to(tmp_path)
    limits = yaml.safe_load(deep.graph.path.read_text(encoding="utf-8"))["components"]
    found = [limits[name]["init_parameters"]["top_k"] for name in ("dense", "rerank")]
    assert found == [30, 25]
    assert limits["answer"]["init_parameters"]["top_k"] == 25
    assert "top_k: 20" in find_graph("query").read_text(encoding="utf-8")


def test_depth_is_raised_in_a_graph_that_is_another_one_changed():
    limits = yaml.safe_load(load_ranking("more/query_llm", depth=40).graph.path.read_text(encoding="utf-8"))[
        "components"
    ]
    assert [limits[name]["init_parameters"]["top_k"] for name in ("dense", "rerank", "answer")] == [40, 40, 40]


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
        return {"answer": {"citations": [], "abstained": False, "degraded": []}}


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
