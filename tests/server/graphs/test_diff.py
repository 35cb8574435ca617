# ruff: noqa: E501 - one case stands on one line
import pytest

from khub.server.graphs.diff import Difference, diff_graphs
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit

WEIGHT = "sparse_weight: 0.4"


@pytest.fixture
def differences(fixed_graphs):
    """Return a function that compares a query graph with an edited copy of it."""

    def compare(*edits):
        old = fixed_graphs / "query.yaml"
        text = old.read_text(encoding="utf-8")
        for before, after in edits:
            assert before in text
            text = text.replace(before, after, 1)
        new = fixed_graphs / "new.yaml"
        new.write_text(text, encoding="utf-8")
        return diff_graphs(old, new)

    return compare


def test_comments_order_quotes_and_defaults_do_not_count(differences):
    answer = "  answer:\n    type: khub.components.answers.answer_builder.AnswerBuilder\n    init_parameters:\n      top_k: 5\n"
    assert not differences(
        ("metadata:", "# another comment\nmetadata:"),
        (answer, ""),
        ("components:\n", f"components:\n{answer}"),
        ("kind: query", 'kind: "query"'),
        ("timeout_s: 5", "timeout_s: 5.0"),
        ("    stages: {dense: 7}\n", "    stages:\n      dense: 7\n"),
        ("  - {sender: route.question, receiver: analyze.question}\n", ""),
        ("inputs:", "  - receiver: analyze.question\n    sender: route.question\ninputs:"),
        ("query: route.query", "query: [route.query]"),
        ("    init_parameters: {}\n", ""),
    )


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (WEIGHT, "sparse_weight: 0.1", ("~", "parameter", "rank.sparse_weight", 0.4, 0.1)),
        ("function: cosine", "function: l2", ("~", "parameter", "dense.template.store.distance_function", "cosine", "l2")),
        ("top_k: 30\n      embedder", "top_k: 30\n      per_language: 9\n      embedder", ("~", "parameter", "dense.per_language", 30, 9)),
        ("{dense: 7}", "{dense: 8}", ("~", "metadata", "guard", {"timeout_s": 5, "stages": {"dense": 7}}, {"timeout_s": 5, "stages": {"dense": 8}})),
        ("ScoreRanker\n", "OtherRanker\n", ("~", "type", "rank", "khub.components.rankers.score_ranker.ScoreRanker", "khub.components.rankers.score_ranker.OtherRanker")),
        ("  - {sender: join.documents, receiver: rank.documents}\n", "", ("-", "connection", "join.documents -> rank.documents", None, None)),
        ("\nconnections:\n", "\nconnections:\n  - {sender: a.b, receiver: c.d}\n", ("+", "connection", "a.b -> c.d", None, None)),
        ("top_k: answer.top_k", "top_k: rank.top_k", ("~", "input", "top_k", ["answer.top_k"], ["rank.top_k"])),
        ("  answer: answer.answer\n", "  answer: answer.answer\n  all: rank.documents\n", ("+", "output", "all", None, ["rank.documents"])),
        ("kind: query", "kind: ingest", ("~", "metadata", "kind", "query", "ingest")),
        ("\nconnections:\n", "\nmax_runs_per_component: 7\nconnections:\n", ("~", "setting", "max_runs_per_component", 100, 7)),
    ],
)  # fmt: skip
def test_one_difference(differences, old, new, found):
    assert differences((old, new)) == [Difference(*found)]


def test_one_is_not_true_though_python_takes_them_for_equal(fixed_graphs):
    graphs = [fixed_graphs / "old.yaml", fixed_graphs / "new.yaml"]
    for file, value in zip(graphs, ("1", "true"), strict=True):
        file.write_text(f"components: {{a: {{type: own.Part, init_parameters: {{n: {value}}}}}}}", encoding="utf-8")
    assert diff_graphs(*graphs) == [Difference("~", "parameter", "a.n", 1, True)]


def test_components_that_only_one_graph_has(differences):
    found = differences(("  analyze:\n", "  grasp:\n"))
    assert found == [
        Difference("-", "component", "analyze", "khub.components.query.query_analyzer.QueryAnalyzer", None),
        Difference("+", "component", "grasp", None, "khub.components.query.query_analyzer.QueryAnalyzer"),
    ]


def test_parameters_of_another_class_are_compared_as_they_are_written(differences):
    found = differences(
        ("haystack.components.joiners.document_joiner.DocumentJoiner", "own.Joiner"), ("join_mode:", "mode:")
    )
    assert [(d.sign, d.what, d.name) for d in found] == [
        ("~", "type", "join"),
        ("-", "parameter", "join.join_mode"),
        ("+", "parameter", "join.mode"),
    ]


def test_broken_graphs_can_be_compared_but_not_what_is_no_graph(fixed_graphs, differences):
    assert differences(("\nconnections:", "\nconections:"))[0].what == "connection"
    assert differences(("  join:\n", "  join: 5\n  joint:\n"))
    for text in ("a: [", "- a", ""):
        (fixed_graphs / "new.yaml").write_text(text, encoding="utf-8")
        with raises_code("graph_invalid", "'pipelines/new.yaml'"):
            diff_graphs(fixed_graphs / "query.yaml", fixed_graphs / "new.yaml")


def test_a_graph_that_is_another_one_changed_is_compared_as_if_written_out(fixed_graphs, monkeypatch):
    monkeypatch.setenv("KHUB_PIPELINES", str(fixed_graphs))
    text = """\
metadata: {kind: query, description: less}
components:
  query:
    type: khub.components.subgraph.Subgraph
    init_parameters: {graph: query, changes: {components: {answer: {init_parameters: {top_k: 3}}}}}
inputs: {query: query.query}
outputs: {answer: query.answer}
"""
    new = fixed_graphs / "new.yaml"
    new.write_text(text, encoding="utf-8")
    found = diff_graphs(fixed_graphs / "query.yaml", new)
    assert {(d.sign, d.name) for d in found if d.what in ("component", "type", "parameter", "connection")} == {
        ("~", "answer.top_k")
    }
    assert ("output", "answer") not in {(d.what, d.name) for d in found}
    new.write_text(text.replace("query.answer}", "query.words}"), encoding="utf-8")
    with raises_code("graph_invalid", "new.yaml': query", "khub graph check"):
        diff_graphs(fixed_graphs / "query.yaml", new)
