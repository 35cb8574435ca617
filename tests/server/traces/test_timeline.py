"""When the stages of a run worked."""

import pytest
from haystack import tracing

from khub.server.graphs.load import load_graph
from khub.server.graphs.run import run_graph
from khub.server.traces.index import find_trace
from khub.server.traces.timeline import timeline

pytestmark = pytest.mark.unit

PARALLEL = """\
metadata: {kind: query}
components:
  left: {type: graph_parts.Find, init_parameters: {delay_s: 0.05, mode: b}}
  right: {type: graph_parts.Find, init_parameters: {delay_s: 0.05}}
  join: {type: haystack.components.joiners.document_joiner.DocumentJoiner}
  turn: {type: graph_parts.Turn}
connections:
  - {sender: left.documents, receiver: join.documents}
  - {sender: right.documents, receiver: join.documents}
  - {sender: join.documents, receiver: turn.documents}
inputs: {query: [left.query, right.query]}
outputs: {turned: turn.turned}
"""


@pytest.fixture(autouse=True)
def _fresh_tracer():
    before = tracing.tracer.actual_tracer
    tracing.disable_tracing()
    yield
    tracing.enable_tracing(before)


def test_legs_that_run_together_are_told_to(write_graph):
    write_graph("query", PARALLEL)
    record = find_trace(run_graph(load_graph("query"), {"query": "what"}).trace_id)
    bars = {bar.name: bar for bar in timeline(record) if bar.depth == 0}
    assert (bars["left"].beside, bars["right"].beside) == (("right",), ("left",))
    assert bars["join"].beside == ()
    assert (bars["join"].given, bars["join"].hits) == (6, 3)
    assert bars["left"].reasons == ("half of it is missing",)
    assert (bars["turn"].method, bars["turn"].given) == ("Turn", 3)


def test_parts_and_inner_stages_stand_below_what_they_are_part_of():
    part = {"name": "embed", "start_ms": 3, "ms": 1, "details": {"visited": 7}}
    stages = [
        {"name": "search.dense", "method": "Dense", "start_ms": 2, "ms": 5, "details": {"spans": [part]}},
        {"name": "search", "method": "Subgraph", "start_ms": 1, "ms": 9},
        {"name": "answer", "method": "Answer", "start_ms": 11, "ms": 1, "unfinished": True, "error": "it broke"},
    ]
    bars = timeline({"stages": stages})
    assert [(bar.name, bar.depth) for bar in bars] == [("search", 0), ("search.dense", 1), ("embed", 2), ("answer", 0)]
    assert (bars[0].beside, bars[1].beside) == ((), ())
    assert bars[2].figures == {"visited": 7}
    assert (bars[3].unfinished, bars[3].error) == (True, "it broke")


def test_a_leg_says_why_it_was_not_used():
    leg = {"name": "dense", "used": False, "hits": 0, "reason": "left out by the caller"}
    (bar,) = timeline({"stages": [{"name": "dense", "output": {"documents": [], "leg": leg}}]})
    assert (bar.hits, bar.figures) == (0, {"used": False, "reason": "left out by the caller"})


@pytest.mark.parametrize("record", [{}, {"stages": None}, {"stages": [{}]}])
def test_a_record_without_times_is_read(record):
    assert [bar.ms for bar in timeline(record)] == [0.0] * len(record.get("stages") or [])
