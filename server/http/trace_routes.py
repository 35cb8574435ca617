"""Routes that show what past runs did, and take what people say of them."""

import json
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, ConfigDict, Field, StrictBool
from starlette.requests import Request
from starlette.responses import Response

from khub.components.catalog.access import caller
from khub.server.http.arguments import Line, Name, Paged, Strict
from khub.server.http.cursors import cursor_at, position_of
from khub.server.http.documented import list_problems, problems
from khub.server.http.route_access import READS
from khub.server.http.tagged import JSON, tagged, tagged_bytes
from khub.server.mcp.arguments import ID_CHARACTERS, NAME_CHARACTERS
from khub.server.reads.hub_reads import NotThereError, passage_of
from khub.server.reads.opened_record import as_far_as_opened
from khub.server.traces.feedback import give_feedback
from khub.server.traces.index import RunFilter, RunRow, find_trace, runs_after
from khub.server.traces.trace_record import TraceRecord

TraceId = Annotated[str, Path(pattern="^[0-9a-f]{8,32}$", description="Id of a trace, or its beginning.")]


class TracesQuery(Paged):
    """Which traces are listed."""

    kind: Annotated[Literal["query", "verify", "ingest", "evaluate"] | None, Query()] = None
    collection: Annotated[Name | None, Query()] = None
    graph: Annotated[str | None, Query(min_length=1, max_length=NAME_CHARACTERS)] = None
    words: Annotated[str, Query(max_length=500, description="All stand in the question, the files or the error.")] = ""
    text: Annotated[str, Query(max_length=500, description="As `words`.")] = ""
    degraded: Annotated[bool | None, Query(description="Whether a stage was replaced.")] = None
    failed: Annotated[bool | None, Query(description="Whether it, or a file of it, failed.")] = None
    abstained: Annotated[bool | None, Query(description="Whether it said that the documents hold no answer.")] = None
    slower_ms: Annotated[float | None, Query(ge=0, description="It took longer than this.")] = None

    def wanted(self) -> RunFilter:
        """Return what is asked for."""
        return RunFilter(
            kinds=(self.kind,) if self.kind else (),
            words=f"{self.words} {self.text}",
            **self.model_dump(include={"collection", "graph", "degraded", "failed", "abstained", "slower_ms"}),
        )


class TraceRow(BaseModel):
    """A run in a list."""

    trace_id: str
    time: str
    kind: str
    graph: str
    collection: str | None
    query: str | None
    characters: int | None = Field(description="Length of a question whose text is not kept.")
    ms: float
    degraded: int = Field(description="How many stages were replaced.")
    degraded_stages: list[str] = Field(description="Which.")
    abstained: bool | None = Field(description="Whether it said that the documents hold no answer.")
    source_count: int | None = Field(description="Files that were read, of an ingest.")
    failed_files: int = Field(description="How many of them failed.")
    error: str | None
    parent: str | None = Field(description="Id of the client's trace that it is a part of (`traceparent`).")


class TraceStage(BaseModel):
    """A stage of a run; what else is kept of it depends on `KHUB_TRACE`."""

    model_config = ConfigDict(extra="allow")

    name: str
    start_ms: float
    ms: float


class Trace(BaseModel):
    """What is kept of a run."""

    model_config = ConfigDict(extra="allow")

    trace_id: str
    time: str
    kind: str
    graph: str
    collection: str | None
    totals: dict[str, Any]
    degraded: list[dict[str, Any]]
    abstained: bool | None = None
    error: str | None
    stages: list[TraceStage]


class TracePage(BaseModel):
    """A page of traces, the newest first."""

    traces: list[TraceRow]
    next_cursor: str | None


class Feedback(Strict):
    """What somebody says of a passage of an answer."""

    trace_id: Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
    chunk_id: Annotated[str, Field(min_length=1, max_length=ID_CHARACTERS)]
    right: StrictBool
    note: Line | None = None


class GivenFeedback(BaseModel):
    """What was written down."""

    time: str
    trace_id: str
    chunk_id: str
    right: bool
    note: str


class TraceRoutes:
    """`/traces` and `/feedback`."""

    def router(self) -> APIRouter:
        """Return the routes."""
        router = APIRouter(tags=["traces"])
        get, post, known = router.get, router.post, list_problems(404)
        get("/traces", response_model=TracePage, responses=list_problems(), summary="List")(self.list)
        get("/traces/{trace_id}", response_model=Trace, responses=known, summary="Show a trace")(self.show)
        given: Any = {"status_code": 201, "responses": problems(400, 404), "summary": "Say whether a passage was right"}
        post("/feedback", response_model=GivenFeedback, openapi_extra=READS, **given)(self.feedback)
        return router

    def list(self, query: Annotated[TracesQuery, Query()], request: Request) -> Response:
        """List the runs that the caller may know."""
        of = ["traces", query.model_dump(exclude={"limit", "cursor"}), caller().name]
        (last,) = position_of(query.cursor, of, str) or ("",)
        shown = runs_after(last, query.wanted(), query.limit + 1)
        more = len(shown) > query.limit
        shown = shown[: query.limit]
        page = TracePage(
            traces=list(map(_row, shown)),
            next_cursor=cursor_at((shown[-1].trace_id,), of) if more else None,
        )
        return tagged(request, page)

    def show(self, trace_id: TraceId, request: Request) -> Response:
        """Show what is known of a run; what went through its stages only if all of that is still opened to you."""
        return tagged_bytes(request, _json(as_far_as_opened(_trace(trace_id))), JSON)

    def feedback(self, said: Feedback) -> GivenFeedback:
        """Write down whether a passage was a right answer: `khub eval add --from-trace` makes a case of it."""
        _trace(said.trace_id)
        passage_of(said.chunk_id, None)
        given = give_feedback(said.trace_id, said.chunk_id, said.right, said.note or "")
        return GivenFeedback.model_validate({key: one for key, one in given.items() if key != "caller"})


def _trace(trace_id: str) -> TraceRecord:
    found = find_trace(trace_id)
    if found is None:
        raise NotThereError(f"there is no trace {trace_id!r}", "see GET /traces", code="trace_unknown")
    return found


def _row(run: RunRow) -> TraceRow:
    row = {**asdict(run), "degraded": len(run.degraded), "degraded_stages": run.degraded}
    return TraceRow.model_validate_json(_json(row))


def _json(value: Any) -> bytes:
    """Return JSON; halves of characters, which a log can hold, become marks."""
    return json.dumps(value, ensure_ascii=False).encode(errors="replace")
