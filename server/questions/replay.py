"""A run of the trace log beside a new one of the same question."""

from collections.abc import Mapping
from typing import Any

from khub.components.errors import QueryError
from khub.server.questions.again import arguments, asked_again
from khub.server.questions.compare import DEPTH, compare, compared
from khub.server.traces.outcome import answer_of


def replay(record: Mapping[str, Any], graph: str | None = None) -> dict[str, Any]:
    """Ask the question of a run anew.

    :param record: of the trace log, of kind `query`.
    :param graph: another one that is to answer: then both answer, since the documents may have changed; None for the
        graph of the run, whose old answer is compared with the new one.
    :returns: what `compare` returns, and `then`: whether the first of the two answers is the old one.
    :raises KhubError: if the record does not keep what was asked, or what `ask` raises.
    """
    given = arguments(record)
    if graph not in (None, given["graph_name"]):
        graphs = (given["graph_name"], str(graph))
        found = compare(given["query"], graphs, given["collection"], given["top_k"] or DEPTH, given["filters"])
        return {**found, "then": False}
    old = _old_answer(record)
    new = asked_again(record)
    return {**compared(given["query"], [old, new], given["top_k"] or DEPTH), "then": True}


def _old_answer(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer that a record keeps, as far as it is compared."""
    answer = answer_of(record)
    if answer is None or not isinstance(answer["citations"], list):
        raise QueryError("this trace keeps no answer", "ask anew; KHUB_TRACE=standard keeps what is cited")
    return {
        **answer,
        "graph": record.get("graph"),
        "trace_id": record.get("trace_id"),
        "timings_ms": _timings(record),
        "degraded": record.get("degraded") or [],
    }


def _timings(record: Mapping[str, Any]) -> dict[str, float]:
    totals = record.get("totals") or {}
    return {"total": totals.get("ms", 0.0), "warm_up": totals.get("warm_up_ms", 0.0)}
