"""When each stage of a run worked, and what it says of itself."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from khub.server.traces.stage_record import StageRecord

TOGETHER_MS = 1.0
"""Two stages that ran beside each other for less time are said to have run one after the other."""


@dataclass(frozen=True)
class Bar:
    """A stage, or a part of one, on the time line of its run.

    :param depth: 0 for a stage, more for what runs within another one.
    :param given: how many passages it was given; None where it takes none.
    :param hits: how many it gave; None where it gives none.
    :param beside: names of the stages that ran at the same time.
    :param reasons: why it was replaced by the next best thing.
    :param figures: what it says of itself: name -> value.
    """

    name: str
    method: str
    depth: int
    start_ms: float
    ms: float
    given: int | None = None
    hits: int | None = None
    beside: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    error: str = ""
    unfinished: bool = False
    figures: Mapping[str, Any] = field(default_factory=dict)


def timeline(record: Mapping[str, Any]) -> list[Bar]:
    """Return the stages of a run and their parts, in the order in which they began."""
    stages = sorted(record.get("stages") or [], key=_start)
    names = {str(stage.get("name")) for stage in stages}
    return [bar for stage in stages for bar in _bars(stage, _depth(str(stage.get("name")), names), stages)]


def hits(stage: Mapping[str, Any]) -> int | None:
    """Return how many documents a stage gave, or citations; None where it gives neither."""
    output = stage.get("output") or {}
    for value in (output.get("documents"), _citations(output.get("answer")), output.get("citations")):
        if isinstance(value, dict) and "count" in value:
            return int(value["count"])
        if isinstance(value, list):
            return len(value)
    return None


def entries(value: Any) -> list[dict[str, Any]]:
    """Return the dicts of a list; at trace level `minimal` there is a count in its place."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _citations(answer: Any) -> Any:
    return answer.get("citations") if isinstance(answer, dict) else None


def _bars(stage: Mapping[str, Any], depth: int, stages: list[StageRecord]) -> Iterator[Bar]:
    details = dict(stage.get("details") or {})
    parts = details.pop("spans", [])
    output = stage.get("output") or {}
    leg = output.get("leg")
    of_leg = leg.items() if isinstance(leg, dict) else ()
    told = {key: value for key, value in of_leg if key not in ("name", "hits") and value != ""}
    yield Bar(
        str(stage.get("name")),
        str(stage.get("method") or ""),
        depth,
        _start(stage),
        float(stage.get("ms") or 0),
        _given(stage),
        hits(stage),
        _beside(stage, stages),
        tuple(str(entry.get("reason") or "") for entry in entries(output.get("degraded"))),
        str(stage.get("error") or ""),
        bool(stage.get("unfinished")),
        {**told, **details},
    )
    for part in parts:
        yield from _bars(part, depth + 1, [])


def _given(stage: Mapping[str, Any]) -> int | None:
    """Return how many passages it was given, all its senders taken together."""
    value = (stage.get("input") or {}).get("documents")
    lists = value if isinstance(value, list) else [value]
    counts = [one["count"] for one in lists if isinstance(one, dict) and "count" in one]
    return sum(counts) if counts else None


def _beside(stage: Mapping[str, Any], stages: list[StageRecord]) -> tuple[str, ...]:
    """Return the stages that neither contain this one, nor are within it, and ran while it did."""
    own = str(stage.get("name"))
    others = ((str(other.get("name")), other) for other in stages if other is not stage)
    return tuple(
        name
        for name, other in others
        if not name.startswith(f"{own}.") and not own.startswith(f"{name}.") and _shared_ms(stage, other) > TOGETHER_MS
    )


def _shared_ms(one: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    ends = (_start(stage) + float(stage.get("ms") or 0) for stage in (one, other))
    return min(ends) - max(_start(one), _start(other))


def _start(stage: Mapping[str, Any]) -> float:
    return float(stage.get("start_ms") or 0)


def _depth(name: str, names: set[str]) -> int:
    steps = name.split(".")
    return sum(".".join(steps[:end]) in names for end in range(1, len(steps)))
