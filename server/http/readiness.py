"""Whether the service lives, and whether it can answer without loading anything first."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel
from starlette.responses import JSONResponse, Response

from khub.components.catalog.catalog import open_catalog
from khub.components.errors import KhubError
from khub.server.http.documented import problems
from khub.server.http.problems import problem
from khub.server.http.route_access import OPEN
from khub.server.http.served_graphs import AGAIN_S, ServedGraphs, UnknownGraphError
from khub.server.mcp.warm_up import WARMED_GRAPH


def _catalog_is_away() -> bool:
    database = open_catalog().database
    if not database.shared:
        return False
    try:
        database.exists()
        database.row("SELECT 1")
    except KhubError:
        return True
    return False


class Health(BaseModel):
    """How the service is."""

    status: Literal["ok", "ready"]


class Readiness:
    """Loads the default graph in the background, and says when it is there.

    :param graphs: that are served.
    """

    def __init__(self, graphs: ServedGraphs) -> None:
        self._graphs = graphs

    def router(self) -> APIRouter:
        """Return the routes."""
        router = APIRouter(tags=["health"])
        router.get("/healthz", openapi_extra=OPEN, summary="Whether the service lives")(self.lives)
        ready: Any = {"summary": "Whether it is warm", "response_model": Health, "responses": problems()}
        router.get("/readyz", openapi_extra=OPEN, **ready)(self.ready)
        return router

    async def lives(self) -> Health:
        """Return that it does."""
        return Health(status="ok")

    async def ready(self) -> Response:
        """Return whether the default graph has been loaded, and the catalog can be reached."""
        away = await asyncio.to_thread(_catalog_is_away)
        if away:
            return problem(503, "the database cannot be reached", {"Retry-After": "5"}, code="unavailable")
        if self._graphs.is_warm(WARMED_GRAPH):
            return JSONResponse({"status": "ready"})
        wrong = await asyncio.to_thread(self._wrong)
        return problem(503, wrong or "the models are being loaded", {"Retry-After": "1"}, code="unavailable")

    def _wrong(self) -> str:
        """Return that the graph cannot be used; what is wrong with it is for who may read, at its own route."""
        try:
            graph, wrong = self._graphs.seen(WARMED_GRAPH)
        except UnknownGraphError:
            return f"there is no graph {WARMED_GRAPH!r}"
        return (
            f"graph {WARMED_GRAPH!r} cannot be used: see GET /graphs/{WARMED_GRAPH}" if graph is None and wrong else ""
        )

    @asynccontextmanager
    async def warming(self, wait: bool) -> AsyncIterator[None]:
        """Load while the block runs; again and again where it fails.

        :param wait: load once before the block: of several workers none takes questions for another that is warm.
        """
        if wait:
            await self._try()
        task = asyncio.create_task(self._warm())
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _warm(self) -> None:
        while not self._graphs.is_warm(WARMED_GRAPH):
            await self._try()
            await asyncio.sleep(2 * AGAIN_S)

    async def _try(self) -> None:
        with contextlib.suppress(KhubError):  # it stands in the log
            await asyncio.to_thread(self._graphs.usable, WARMED_GRAPH)
