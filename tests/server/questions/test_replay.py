"""A traced question asked again."""

import pytest

from khub.server.library.ingest import ingest
from khub.server.questions.again import arguments
from khub.server.questions.ask import ask
from khub.server.questions.replay import replay
from khub.server.traces.index import find_trace

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("converted_here")]
FILTER = {"field": "meta.doc_type", "operator": "==", "value": "md"}


def traced(query="How do herons wade in water?", **more):
    return find_trace(ask(query, **more).trace_id)


def test_the_old_answer_stands_beside_a_new_one(pipelines, notes):
    ingest([str(notes)])
    record = traced()
    (notes / "more.md").write_text("# More\n\nHow herons wade in water: they wade slowly in water.\n", encoding="utf-8")
    ingest([str(notes)])
    found = replay(record)
    then, now = found.graphs
    assert (found.then, then.trace_id, then.graph) == (True, record["trace_id"], "query")
    assert find_trace(now.trace_id)["query"] == record["query"]
    assert [result.ranks for result in found.results if result.source.endswith("more.md")] == [[None, 1]]
    assert found.overlap < 1


def test_another_graph_is_compared_with_the_same_graph_as_it_answers_now(pipelines, notes):
    ingest([str(notes)])
    (pipelines / "other.yaml").write_text((pipelines / "query.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    record = traced()
    found = replay(record, "other")
    assert (found.then, [run.graph for run in found.graphs]) == (False, ["query", "other"])
    assert record["trace_id"] not in {run.trace_id for run in found.graphs}
    assert found.overlap == 1


def test_a_question_is_asked_as_it_was(pipelines, notes):
    ingest([str(notes)])
    record = traced(filters=FILTER, legs=["sparse"], top_k=1)
    assert arguments(record) == {
        "query": record["query"],
        "collection": "default",
        "graph_name": "query",
        "filters": FILTER,
        "legs": ["sparse"],
        "top_k": 1,
        "more": {},
    }
    again = find_trace(replay(record).graphs[1].trace_id)
    assert again["asked_with"] == record["asked_with"]
