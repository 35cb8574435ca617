"""The shipped graph of kind `evaluate`, loaded by name, run and traced as the others are."""

import pytest

from khub.server.graphs.diff import diff_graphs
from khub.server.graphs.load import load_graph
from khub.server.graphs.run import run_graph
from khub.server.questions.ask import ask
from khub.server.traces.index import read_traces
from tests.error_codes import raises_code
from tests.server.hub_files import edit

pytestmark = pytest.mark.integration

CASE = {
    "id": "c1",
    "question": "How do herons wade?",
    "answerable": True,
    "relevant": [{"source": "birds.md", "page": None, "evidence": "Herons wade slowly", "grade": 2}],
}
CITATION = {"relative_source": "birds.md", "source": "/docs/birds.md", "page": None, "text": "Herons wade slowly."}
ANSWER = {"case_id": "c1", "abstained": False, "citations": [CITATION], "seconds": 0.5, "degraded": []}


def test_it_runs_by_name(pipelines):
    graph = load_graph("evaluate")
    assert (graph.kind, graph.required) == ("evaluate", {"cases", "answers"})
    outputs = run_graph(graph, {"cases": [CASE], "answers": [ANSWER]}).outputs
    assert outputs["failed"] == []
    assert outputs["scores"]["hit@1"] == [1.0]
    assert outputs["scores"]["latency_ms"] == [500.0]


def test_it_is_traced_under_its_kind(pipelines):
    result = run_graph(load_graph("evaluate"), {"cases": [CASE], "answers": [ANSWER]})
    (trace,) = read_traces(5, kind="evaluate")
    assert trace["trace_id"] == result.trace_id
    assert {stage["name"] for stage in trace["stages"]} == {"retrieval", "pages", "abstention", "operation", "table"}
    assert read_traces(5, kind="query") == []


def test_what_an_evaluator_refuses_is_raised_as_it_is(pipelines):
    with raises_code("evaluation_failed", "1 cases", "0 answers"):
        run_graph(load_graph("evaluate"), {"cases": [CASE], "answers": []})


def test_an_evaluator_twice_is_named(pipelines):
    text = (pipelines / "evaluate.yaml").read_text(encoding="utf-8")
    text = text.replace("page_evaluator.PageEvaluator", "abstention_evaluator.AbstentionEvaluator")
    text = text.replace("    init_parameters:\n      depth: 5\n", "    init_parameters: {}\n")
    (pipelines / "twice.yaml").write_text(text, encoding="utf-8")
    with raises_code("graph_invalid", "'abstained_right'"):
        run_graph(load_graph("twice"), {"cases": [CASE], "answers": [ANSWER]})


def test_its_parameters_are_checked_and_compared(pipelines):
    before = (pipelines / "evaluate.yaml").read_text(encoding="utf-8")
    (pipelines / "deep.yaml").write_text(before.replace("depth: 10", "depth: 20"), encoding="utf-8")
    (difference,) = diff_graphs(pipelines / "evaluate.yaml", pipelines / "deep.yaml")
    assert "retrieval.depth" in str(difference)
    edit(pipelines / "evaluate.yaml", "depth: 10", "dept: 10")
    with raises_code("graph_parameter_unknown", "'dept'", "'depth'"):
        load_graph("evaluate")


def test_no_question_goes_through_it(pipelines):
    with raises_code("graph_kind_wrong", "'evaluate'", "'query'"):
        ask("How do herons wade?", graph_name="evaluate")
