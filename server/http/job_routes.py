"""Routes that follow and cancel jobs, and that make a collection's indexes anew."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Path, Query
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from khub.components.catalog.access import Caller, caller
from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.job_row import JobRow
from khub.components.catalog.jobs import ENDED
from khub.server.http.arguments import Line, Name, Paged, Strict
from khub.server.http.cursors import LARGEST, cursor_at, position_of
from khub.server.http.documented import EVENTS, list_problems, of_type, problems
from khub.server.http.named_collection import there
from khub.server.http.tagged import IfMatch, require_match, tagged
from khub.server.jobs.known_jobs import as_seen, door_of
from khub.server.jobs.opened_job import without_closed
from khub.server.jobs.service_jobs import ask_for_reindex, cancel, job_of
from khub.server.library.ingest_request import known_ingest_graph

LOOK_S = 0.3
SILENCE_S = 15.0
"""After so long without an event a comment says that the service is still there."""
JobId = Annotated[str, Path(pattern="^[0-9a-f]{32}$", description="Id of a job.")]
State = Literal["queued", "running", "finished", "failed", "interrupted", "cancelled"]


class Job(BaseModel):
    """What is known of a job."""

    job_id: str
    kind: str = Field(description="`ingest`, `sync`, `source` or `reindex`.")
    state: State
    collection: str
    graph: str | None
    door: str = Field(default="service", description="`service`, `mcp`, or the command that did it itself.")
    progress: dict[str, Any] | None = Field(default=None, description="Files or passages done of all.")
    result: dict[str, Any] | None = None
    error: str | None = None
    remedy: str | None = None
    resumed: int = Field(default=0, description="How often it was taken up again.")
    created_at: str
    updated_at: str
    finished_at: str | None = None


class ShownJob(Job):
    """A job by itself."""

    files: dict[str, Any] | None = Field(
        default=None,
        description="What became of each file: `written`, `unchanged`, `failed`, `passed_over`, `degraded`, `removed`, "
        "`overtaken` (sent anew while it waited).",
    )


class JobQuery(Strict):
    """How much is told of a job."""

    files: Annotated[bool, Query(description="Whether to tell of each file.")] = False


class JobPage(BaseModel):
    """A page of jobs, the newest first."""

    jobs: list[Job]
    next_cursor: str | None


class JobsQuery(Paged):
    """Which jobs are listed."""

    state: Annotated[State | None, Query()] = None


class ReindexRequest(Strict):
    """What a collection moves to."""

    graph: Line | None = Field(default=None, description="Graph of kind `ingest`; `ingest` without it.")


def accepted(found: JobRow) -> Response:
    """Return the answer to a request that has given rise to a job."""
    headers = {"Location": f"/jobs/{found['job_id']}"}
    return JSONResponse(shape_of(found).model_dump(mode="json"), 202, headers)


def shape_of(found: JobRow) -> Job:
    """Return what a client is told of a job."""
    known = {key: value for key, value in found.items() if key in Job.model_fields}
    return Job.model_validate({**known, "door": door_of(found)})


class JobRoutes:
    """`/jobs`, and `/collections/{name}/reindex`."""

    def __init__(self) -> None:
        self._stopped = asyncio.Event()

    def end_streams(self) -> None:
        """End the events that somebody listens to: the service stops."""
        self._stopped.set()

    def router(self) -> APIRouter:
        """Return the routes."""
        router = APIRouter(tags=["jobs"])
        one, get = "/jobs/{job_id}", router.get
        get("/jobs", response_model=JobPage, responses=list_problems(), summary="List jobs")(self.list)
        get(one, response_model=ShownJob, responses=list_problems(404), summary="Show a job")(self.show)
        router.delete(one, response_model=Job, responses=problems(404, 412), summary="Cancel a job")(self.cancel)
        events = of_type(EVENTS, "Events until the job has ended.") | problems(404)
        get(f"{one}/events", response_class=Response, responses=events, summary="Follow a job")(self.events)
        anew: Any = {"responses": problems(400, 404, 409), "summary": "Make the indexes of a collection anew"}
        router.post("/collections/{name}/reindex", status_code=202, response_model=Job, **anew)(self.reindex)
        return router

    def list(self, query: Annotated[JobsQuery, Query()], request: Request) -> Response:
        """List the jobs that the caller may know."""
        of = ["jobs", query.state, caller().name]
        after: Any = position_of(query.cursor, of, str, str)
        states = [query.state] if query.state else []
        found = _known(states, after, query.limit + 1)
        shown = found[: query.limit]
        more = len(found) > query.limit
        last = shown[-1] if more else None
        page = JobPage(
            jobs=[shape_of(one) for one in shown],
            next_cursor=cursor_at((last["created_at"], last["job_id"]), of) if last else None,
        )
        return tagged(request, page)

    def show(self, job_id: JobId, query: Annotated[JobQuery, Query()], request: Request) -> Response:
        """Say what is known of a job."""
        found = job_of(job_id)
        files: Any = found.get("files") if query.files else None
        return tagged(request, ShownJob(**dict(shape_of(found)), files=files))

    def cancel(self, job_id: JobId, if_match: IfMatch = None) -> Job:
        """Let a job go no further; what it has done stays."""
        require_match(if_match, lambda: ShownJob(**dict(shape_of(job_of(job_id)))))
        return shape_of(cancel(job_id))

    async def events(
        self, job_id: JobId, last_event_id: Annotated[str | None, Header(max_length=20)] = None
    ) -> Response:
        """Send what happens to a job as it happens; after `Last-Event-ID`, where a client comes again."""
        await asyncio.to_thread(job_of, job_id)
        after = min(int(last_event_id), LARGEST - 1) if last_event_id and last_event_id.isdecimal() else 0
        return StreamingResponse(self._told(job_id, after, caller()), media_type=EVENTS)

    async def _told(self, job_id: str, after: int, _: Caller) -> AsyncIterator[str]:
        jobs, silent = open_catalog().jobs, 0.0
        while not self._stopped.is_set():
            found = await asyncio.to_thread(jobs.get, job_id)
            events = await asyncio.to_thread(jobs.events, job_id, after)
            for number, event, told in events:
                data = await asyncio.to_thread(without_closed, found["collection"] if found else "", told)
                yield f"id: {number}\nevent: {event}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
                after = number
            if found is None or (found["state"] in ENDED and not events):
                return
            silent = 0.0 if events else silent + LOOK_S
            if silent >= SILENCE_S:
                silent = 0.0
                yield ": still there\n\n"
            try:
                await asyncio.wait_for(self._stopped.wait(), LOOK_S)
            except TimeoutError:
                continue

    def reindex(self, name: Name, body: ReindexRequest | None = None) -> Response:
        """Embed a collection anew, from the stored text; it answers from its old indexes until that is done."""
        collection = there(name)
        graph = None if body is None or body.graph is None else known_ingest_graph(body.graph).name
        return accepted(ask_for_reindex(collection, graph))


def _known(states: list[Any], after: tuple[str, str] | None, limit: int) -> list[JobRow]:
    """Return jobs that the caller may know: of others it sees none, so that a page may need several looks."""
    found: list[JobRow] = []
    while len(found) < limit:
        rows = open_catalog().jobs.listed(states, after)
        found += [as_seen(row) for row in rows if caller().may_know(row.get("caller"))]
        if not rows:
            break
        after = rows[-1]["created_at"], rows[-1]["job_id"]
    return found[:limit]
