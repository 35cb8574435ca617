"""What the service counts, for Prometheus."""

import contextlib
import os
import tempfile
from collections.abc import Iterator

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, Summary, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.responses import Response

from khub.components.home import hub_home
from khub.components.private_files import private_folder
from khub.server.http.documented import of_type, problems
from khub.server.http.stored_sizes import StoredSizes
from khub.server.traces.record import Request

SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""The variable by which processes know the folder where they count together; read when the library is imported."""


class Metrics:
    """Counts the requests of a process, and shows what all processes of the service have counted."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        graph = ("kind", "graph")
        self._requests = Histogram(
            "khub_request_seconds", "How long runs of graphs took.", graph, buckets=SECONDS, registry=self._registry
        )
        self._ended = Counter(
            "khub_requests", "Runs of graphs, by how they ended.", (*graph, "end"), registry=self._registry
        )
        self._stages = Summary(
            "khub_stage_seconds", "How long stages took.", ("graph", "stage"), registry=self._registry
        )
        self._degraded = Counter(
            "khub_degraded", "Stages replaced by the next best thing.", ("graph", "stage"), registry=self._registry
        )

    def router(self) -> APIRouter:
        """Return the route."""
        router = APIRouter(tags=["health"])
        about = {**problems(), **of_type("text/plain", "Counters in the format of Prometheus.")}
        router.get("/metrics", summary="Metrics", response_class=Response, responses=about)(self.show)
        return router

    def observe(self, request: Request) -> None:
        """Count a run of a graph that has ended."""
        timings = request.timings_ms()
        self._requests.labels(request.kind, request.graph).observe(timings.pop("total") / 1000)
        self._ended.labels(request.kind, request.graph, _end_of(request)).inc()
        for stage, ms in timings.items():
            self._stages.labels(request.graph, stage).observe(ms / 1000)
        for item in request.degraded:
            self._degraded.labels(request.graph, str(item.get("stage"))).inc()

    def show(self) -> Response:
        """Show counters of all workers, and what is stored, as far as the caller may know of it."""
        counted, stored = self._registry, CollectorRegistry()
        if SHARED in os.environ:
            counted = CollectorRegistry()
            MultiProcessCollector(counted)
        stored.register(StoredSizes())
        return Response(generate_latest(counted) + generate_latest(stored), media_type=CONTENT_TYPE_LATEST)


@contextlib.contextmanager
def added_up() -> Iterator[None]:
    """Let the processes that are started in the block count together."""
    folder = hub_home() / "metrics"
    private_folder(folder)
    with tempfile.TemporaryDirectory(dir=folder) as shared:
        os.environ[SHARED] = shared
        try:
            yield
        finally:
            del os.environ[SHARED]


def _end_of(request: Request) -> str:
    if request.error is not None:
        return "failed"
    return "abstained" if request.abstained else "answered" if request.kind == "query" else "done"
