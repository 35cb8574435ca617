"""A run of the trace log beside a new one of the same question."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from khub.components.answer import Answer, Citation, Degraded
from khub.components.errors import QueryError
from khub.server.questions.again import arguments, asked_again
from khub.server.questions.compare import DEPTH, compare, compared
from khub.server.questions.comparison import Comparison
from khub.server.traces.outcome import answer_of


def replay(record: Mapping[str, Any], graph: str | None = None) -> Comparison:
    """Ask the question of a run anew.

    :param record: of the trace log, of kind `query`.
    :param graph: another one that is to answer: then both answer, since the documents may have changed; None for the
        graph of the run, whose old answer is compared with the new one.
    :raises KhubError: if the record does not keep what was asked, or what `ask` raises.
    """
    given = arguments(record)
    if graph not in (None, given["graph_name"]):
        graphs = (given["graph_name"], str(graph))
        found = compare(given["query"], graphs, given["collection"], given["top_k"] or DEPTH, given["filters"])
        return replace(found, then=False)
    old = _old_answer(record)
    new = asked_again(record)
    return replace(compared(given["query"], [old, new], given["top_k"] or DEPTH), then=True)


def _old_answer(record: Mapping[str, Any]) -> Answer:
    """Return the answer that a record keeps, as far as it is compared."""
    answer = answer_of(record)
    if answer is None or not isinstance(answer["citations"], list):
        raise QueryError("this trace keeps no answer", "ask anew; KHUB_TRACE=standard keeps what is cited")
    return Answer(
        answer="",
        abstained=bool(answer.get("abstained")),
        confidence=float(answer.get("confidence") or 0.0),
        citations=[_old_citation(one) for one in answer["citations"]],
        collection=str(answer.get("collection") or ""),
        degraded=[Degraded(str(one.get("stage")), str(one.get("reason"))) for one in record.get("degraded") or []],
        graph=str(record.get("graph")),
        trace_id=str(record.get("trace_id")),
        timings_ms=_timings(record),
    )


def _old_citation(kept: Mapping[str, Any]) -> Citation:
    def text(name: str) -> str:
        return kept[name] if isinstance(kept.get(name), str) else ""  # a long one is kept as its length

    return Citation(
        id=kept["id"],
        chunk_id=kept["chunk_id"],
        source=text("source"),
        title=text("title"),
        section=text("section"),
        page=kept.get("page"),
        time_mark=text("time_mark") or None,
        text=text("text"),
        evidence=text("evidence"),
        score=kept["score"],
    )


def _timings(record: Mapping[str, Any]) -> dict[str, float]:
    totals = record.get("totals") or {}
    return {"total": totals.get("ms", 0.0), "warm_up": totals.get("warm_up_ms", 0.0)}
