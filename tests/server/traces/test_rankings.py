"""The ways of passages through the lists of a run."""

import pytest
from haystack import tracing

from khub.server.graphs.load import load_graph
from khub.server.graphs.run import run_graph
from khub.server.traces.index import find_trace
from khub.server.traces.rankings import Known, Place, candidates, rankings, way

pytestmark = pytest.mark.unit

TURNED = """\
metadata: {kind: query}
components:
  left: {type: graph_parts.Find, init_parameters: {top_k: 3}}
  right: {type: graph_parts.Find, init_parameters: {top_k: 2, weight: 0.5}}
  join: {type: haystack.components.joiners.document_joiner.DocumentJoiner}
  turn: {type: graph_parts.Turn}
  answer: {type: graph_parts.Answer, init_parameters: {prefix: found}}
connections:
  - {sender: left.documents, receiver: join.documents}
  - {sender: right.documents, receiver: join.documents}
  - {sender: join.documents, receiver: turn.documents}
  - {sender: turn.turned, receiver: answer.documents}
inputs: {query: [left.query, right.query, answer.query], collection: [left.collection, right.collection]}
outputs: {answer: answer.answer}
"""


@pytest.fixture(autouse=True)
def _fresh_tracer():
    before = tracing.tracer.actual_tracer
    tracing.disable_tracing()
    yield
    tracing.enable_tracing(before)


def stage(name, end, ids, count=None, **senders):
    documents = [{"id": i, "rank": rank, "score": 1 / rank} for rank, i in enumerate(ids, 1)]
    return {
        "name": name,
        "start_ms": end - 1,
        "ms": 1,
        "senders": {"documents": list(senders.get("of", ())), "legs": list(senders.get("legs", ()))},
        "input": {"documents": {"count": 9}, "legs": [{"type": "Leg"}]} if senders else {},
        "output": {"documents": {"count": count or len(ids), "documents": documents}, "degraded": []},
    }


def ways(record, chunk_id):
    return {step.ranking.name: step for step in way(rankings(record), chunk_id)}


def test_a_component_that_nobody_knows_stands_among_the_lists(write_graph):
    write_graph("query", TURNED)
    found = run_graph(load_graph("query"), {"query": "what", "collection": "c"})
    record = find_trace(found.trace_id)
    lists = {ranking.name: ranking for ranking in rankings(record)}
    assert set(lists) == {"left", "right", "join", "turn.turned"}
    assert lists["join"].before in {("left", "right"), ("right", "left")}
    assert lists["turn.turned"].before == ("join",)
    dropped, second, third = (ways(record, f"c-{number}") for number in range(3))
    assert dropped["turn.turned"].is_lost
    assert dropped["join"].place.rank == 1
    assert (third["turn.turned"].place.rank, third["turn.turned"].moved) == (1, 2)
    assert (second["turn.turned"].place.rank, second["turn.turned"].moved) == (2, 0)
    assert candidates(lists.values())[:2] == ["c-2", "c-1"]


def test_what_a_stage_was_given_beside_passages_is_no_list_before_it():
    record = {
        "stages": [stage("dense", 1, "ab"), stage("join", 2, "ba"), stage("rank", 3, "ab", of=["join"], legs=["dense"])]
    }
    assert rankings(record)[-1].before == ("join",)
    assert ways(record, "a")["rank"].moved == 1


def test_a_passage_that_is_not_among_those_kept_is_neither_lost_nor_new():
    record = {"stages": [stage("dense", 1, "ab", count=30), stage("rank", 2, "xa", of=["dense"])]}
    assert ways(record, "x")["dense"].known is Known.UNKNOWN
    assert not ways(record, "x")["rank"].is_new
    assert ways(record, "b")["rank"].is_lost
    known = {"stages": [stage("dense", 1, "ab"), stage("rank", 2, "xa", of=["dense"])]}
    assert ways(known, "x")["rank"].is_new


def test_the_best_rank_of_several_lists_before_counts():
    record = {
        "stages": [stage("dense", 1, "abc"), stage("sparse", 2, "ca"), stage("join", 3, "bca", of=["dense", "sparse"])]
    }
    moved = {i: ways(record, i)["join"].moved for i in "abc"}
    assert moved == {"a": -2, "b": 1, "c": -1}


def test_the_lists_of_a_record_that_names_no_senders_come_one_after_the_other():
    stages = [stage("dense", 1, "ab"), stage("sparse", 2, "bc"), stage("join", 3, "cab"), stage("rank", 4, "bc")]
    stages[2]["input"] = {"documents": [{"count": 2}, {"count": 2}]}
    stages[3]["input"] = {"documents": {"count": 3}}
    for one in stages:
        del one["senders"]
    assert [ranking.before for ranking in rankings({"stages": stages})] == [(), (), ("dense", "sparse"), ("join",)]


def test_the_passages_of_an_answer_are_a_list_and_an_empty_list_is_one():
    cited = {"answer": {"citations": [{"chunk_id": "b", "score": 0.5}, {"chunk_id": "a", "score": 0.1}]}}
    record = {"stages": [stage("rank", 1, "ab"), {"name": "answer", "start_ms": 2, "ms": 1, "output": cited}]}
    answer = rankings(record)[-1]
    assert (answer.name, answer.places["a"]) == ("answer", Place(2, 0.1))
    nothing = {"stages": [{"name": "find", "output": {"documents": [], "degraded": []}}]}
    assert [(ranking.name, ranking.count) for ranking in rankings(nothing)] == [("find", 0)]


def test_a_stage_that_runs_twice_gives_two_lists():
    record = {"stages": [stage("find", 1, "a"), stage("find", 2, "b")]}
    assert [ranking.name for ranking in rankings(record)] == ["find", "find (2)"]


@pytest.mark.parametrize(
    "record", [{}, {"stages": None}, {"stages": [{"name": "x", "output": {"documents": {"count": 3}}}]}]
)
def test_a_record_without_passages_has_no_lists(record):
    assert rankings(record) == []
