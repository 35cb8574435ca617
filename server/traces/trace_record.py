"""A run of a graph, as the trace log has it."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from khub.server.traces.stage_record import StageRecord


class TraceTotals(TypedDict, total=False):
    """What a run took, and how many stages ran.

    :ivar warm_up_ms: of it, what loading models and indexes took.
    """

    ms: float
    stages: int
    warm_up_ms: float


class TraceRecord(TypedDict, total=False):
    """What is kept of a run; a line may be older than some of it, and a list leaves the stages out.

    :ivar time: ISO 8601 in UTC.
    :ivar kind: `query`, `verify`, `ingest` or `evaluate`.
    :ivar caller: name of who asked; missing where nobody has one.
    :ivar together: what the runs of one question to all collections share, each in another one.
    :ivar parent: `trace_id` and `span_id` of the client's trace that it is a part of.
    :ivar query: the question, or the text that was checked; where no texts are kept, `chars`, its length.
    :ivar asked_with: what else was given with a question.
    :ivar sources: the first of the files of an ingest.
    :ivar failed_files: how many of them failed; missing where none did.
    :ivar degraded: `{stage, reason}` of what was replaced by the next best thing; without texts the stage alone.
    :ivar abstained: of a query that ended without an error.
    """

    trace_id: str
    time: str
    kind: str
    caller: str
    together: str
    parent: dict[str, str]
    query: str | dict[str, int]
    asked_with: dict[str, Any]
    source_count: int
    sources: list[str]
    failed_files: int
    collection: str | None
    graph: str
    totals: TraceTotals
    degraded: Sequence[Mapping[str, str | None]]
    abstained: bool | None
    error: str | None
    stages: list[StageRecord]
