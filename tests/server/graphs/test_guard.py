"""`metadata.guard`: which stages it guards, how they fail, and what the answer says of it."""

import pytest

from khub.components.errors import GraphError
from khub.components.guard import Guard
from khub.server.graphs.check import check_graph_text
from khub.server.graphs.load import load_graph
from khub.server.graphs.run import run_graph
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from tests.error_codes import raises_code
from tests.server.hub_files import edit, name_parts

GUARDED = {"filter", "analyze", "translate", "gloss", "dense", "sparse", "rank", "rerank", "select"}
POLICY = "guard: {timeout_s: 5}"


def guards(name="query"):
    return {stage: part for stage, part in load_graph(name).pipeline.walk() if isinstance(part, Guard)}


def with_policy(text, policy):
    return text.replace("{kind: query, ", f"{{kind: query, guard: {policy}, ")


@pytest.mark.unit
def test_stages_are_guarded_for_which_something_can_stand_in(pipelines):
    assert set(guards()) == GUARDED
    edit(pipelines / "query.yaml", POLICY, "guard: {timeout_s: 5, stages: {rank: null, dense: 0.5}, max_hung: 4}")
    assert set(guards()) == GUARDED - {"rank"}
    assert {stage: part.timeout_s for stage, part in guards().items() if part.timeout_s != 5} == {"dense": 0.5}
    assert {part.max_hung for part in guards().values()} == {4}


@pytest.mark.unit
def test_without_a_policy_nothing_is_guarded(pipelines):
    edit(pipelines / "query.yaml", f"  {POLICY}\n", "")
    assert guards() == {}


@pytest.mark.unit
@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ("5", "metadata.guard is 5: "),
        ("{}", "metadata.guard is {}"),
        ("{timeout_s: -1}", "metadata.guard is {'timeout_s': -1}"),
        ("{timeout_s: 1, stage: {find: 1}}", "metadata.guard is"),
        ("{timeout_s: 1, max_hung: 0}", "metadata.guard has max_hung 0: "),
        ("{timeout_s: 1, stages: {fnd: 1}}", "metadata.guard names the unknown stage 'fnd': "),
        ("{timeout_s: 1, stages: {find: 0}}", "find: metadata.guard gives it 0: "),
    ],
)
def test_a_mistake_in_the_policy_is_one_line_with_a_remedy(query_text, policy, said):
    (problem,) = check_graph_text(with_policy(query_text, policy), "q.yaml")
    assert str(problem.as_error("q.yaml")).startswith(f"q.yaml:1: {said}")


@pytest.mark.unit
def test_a_guarded_stage_that_fails_is_replaced_and_one_that_is_not_fails_the_run(write_graph, query_text):
    text = query_text.replace("Find\n    init_parameters:\n      top_k: 2", "Fail\n    init_parameters: {how: other}")
    text = text.replace("  collection: find.collection\n  limit: find.limit\n", "")
    write_graph("query", with_policy(text, "{timeout_s: 5}"))
    assert run_graph(load_graph("query"), {"query": "x"}).outputs["answer"]["answer"] == "found 0"
    write_graph("query", with_policy(text, "{timeout_s: 5, stages: {find: null}}"))
    with pytest.raises(GraphError, match="ZeroDivisionError: no luck"):
        run_graph(load_graph("query"), {"query": "x"})


@pytest.mark.integration
def test_the_answer_says_which_guarded_stages_failed(pipelines, notes):
    ingest([str(notes)])
    name_parts(pipelines / "query.yaml", pipelines / "ingest.yaml", embedder=str(notes))  # a folder without a model
    edit(pipelines / "query.yaml", "model: khub-fast\n      weight", f"model: {notes}\n      weight")
    for graph in ("query", "outer"):
        (pipelines / "outer.yaml").write_text(OUTER, encoding="utf-8")
        answer = ask("How do herons wade?", graph_name=graph)
        assert "Herons wade" in answer.citations[0].text
        assert [entry.stage for entry in answer.degraded] == ["dense", "rerank"]
        assert all(str(notes) in entry.reason for entry in answer.degraded)


OUTER = """\
metadata: {kind: query, description: contains query}
components:
  search: {type: khub.components.subgraph.Subgraph, init_parameters: {graph: query}}
inputs: {query: search.query, collection: search.collection}
outputs: {answer: search.answer}
"""


@pytest.mark.unit
def test_a_contained_graph_has_its_own_guards_and_counts_when_it_is_edited(pipelines):
    (pipelines / "outer.yaml").write_text(OUTER, encoding="utf-8")
    outer = load_graph("outer")
    assert load_graph("outer") is outer
    assert set(guards("outer")) == GUARDED
    edit(pipelines / "query.yaml", "{top_k: 5}", "{top_k: 3}")
    edited = load_graph("outer")
    assert edited is not outer
    assert edited.pipeline.get_component("answer").top_k == 3
    edit(pipelines / "query.yaml", "{top_k: 3}", "{topk: 3}")
    with pytest.raises(GraphError, match=r"query\.yaml.*unknown parameter 'topk'"):
        load_graph("outer")


@pytest.mark.unit
def test_a_graph_that_contains_itself_is_an_error(pipelines):
    (pipelines / "outer.yaml").write_text(OUTER.replace("graph: query", "graph: outer"), encoding="utf-8")
    with raises_code("graph_invalid", "outer.yaml:3: search", "'outer'"):
        load_graph("outer")


@pytest.mark.unit
def test_a_graph_that_is_another_one_changed_has_its_stages_and_their_guards(pipelines):
    changes = "{metadata: {guard: {stages: {rerank: null, dense: 9}}}, components: {answer: {init_parameters: {TOP}}}}"
    text = OUTER.replace("{graph: query}", f"{{graph: query, changes: {changes}}}")
    (pipelines / "outer.yaml").write_text(text.replace("{TOP}", "{top_k: 2}"), encoding="utf-8")
    outer = load_graph("outer")
    assert outer.pipeline.get_component("answer").top_k == 2
    assert {stage: part.timeout_s for stage, part in guards("outer").items() if part.timeout_s != 5} == {"dense": 9}
    assert load_graph("query").pipeline.get_component("answer").top_k == 5
    (pipelines / "outer.yaml").write_text(text.replace("{TOP}", "{topk: 2}"), encoding="utf-8")
    with raises_code("graph_parameter_unknown", "outer.yaml:3: search", "query.yaml", "answer"):
        load_graph("outer")


@pytest.mark.unit
def test_a_changed_graph_can_be_changed_once_more(pipelines):
    changes = "{components: {order: {init_parameters: {candidates: 5}}}}"
    text = OUTER.replace("{graph: query}", f"{{graph: more/query_llm, changes: {changes}}}")
    (pipelines / "outer.yaml").write_text(text, encoding="utf-8")
    assert load_graph("outer").pipeline.get_component("order").component.candidates == 5
    assert load_graph("more/query_llm").pipeline.get_component("order").component.candidates == 20
