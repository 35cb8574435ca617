"""Routes that list the sources which collections follow, and sync one now."""

from typing import Annotated, Any

from fastapi import APIRouter, Path
from fastapi.exceptions import HTTPException
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from khub.components.catalog.access import require_collection
from khub.server.http.documented import list_problems, problems
from khub.server.http.job_routes import Job, accepted
from khub.server.http.tagged import tagged
from khub.server.jobs.listed_sources import ListedSource, listed_sources
from khub.server.jobs.source_jobs import ask_for_source
from khub.server.sources.configured import source_of_key

Key = Annotated[str, Path(pattern="^[0-9a-f]{16}$", description="Key of a source, as the list has it.")]


class Source(BaseModel):
    """A source of a collection, and how it stands."""

    key: str
    address: str = Field(description="Without credentials.")
    collection: str
    every_s: float | None = Field(description="Seconds from one sync to the next; null: only when somebody asks.")
    configured: bool = Field(description="Whether `sources.yaml` names it: others can be synced at the command alone.")
    last_at: str | None
    next_at: str | None
    problem: str = Field(description="Why it stands still; empty if nothing is wrong.")
    running: str | None = Field(description="Id of the job that is at it, or waits.")
    counts: dict[str, int] = Field(
        description="Of the last time: `items`, `fetched`, `written`, `removed`, `failed`, `left_out`; empty, as "
        "`problem` and `running`, where parts of the collection are closed to you."
    )


class SourceList(BaseModel):
    """The sources of the caller's collections."""

    sources: list[Source]


class SourceRoutes:
    """`/sources`."""

    def router(self) -> APIRouter:
        """Return the routes."""
        router = APIRouter(prefix="/sources", tags=["sources"])
        router.get("", response_model=SourceList, responses=list_problems(), summary="List sources")(self.list)
        now: Any = {"responses": problems(404), "summary": "Sync a source now"}
        router.post("/{key}/sync", status_code=202, response_model=Job, **now)(self.sync)
        return router

    def list(self, request: Request) -> Response:
        """List them, in the order of their collections."""
        return tagged(request, SourceList(sources=[_shape(one) for one in listed_sources()]))

    def sync(self, key: Key) -> Response:
        """Ask for a job that makes the collection match the source; one of yours that waits is that."""
        if key not in {one.key for one in listed_sources() if one.configured}:
            raise HTTPException(404, f"there is no source {key!r} in sources.yaml")
        asked = source_of_key(key)
        require_collection(asked.collection)
        return accepted(ask_for_source(asked))


def _shape(source: ListedSource) -> Source:
    return Source(**vars(source))
