"""Where the time of a run goes: the stages' own work, and what Haystack copies between them."""

import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from haystack.core.pipeline import base, pipeline

from server.graphs.load import Graph

COPYING = "copies"
_COPY = "_deepcopy_with_exceptions"


class StageClock:
    """Milliseconds of each stage of a graph, without what Haystack does before and after it.

    :param graph: its components are timed from now on; it should be a copy for this alone.
    """

    def __init__(self, graph: Graph) -> None:
        self.ms: dict[str, float] = defaultdict(float)
        for name, instance in graph.pipeline.walk():
            # a run_async may call run, whose time would count twice
            if hasattr(instance, "run_async"):
                vars(instance)["run_async"] = self._timed_async(name, instance.run_async)
            else:
                vars(instance)["run"] = self._timed(name, instance.run)

    @contextmanager
    def copies(self) -> Iterator[None]:
        """Count what Haystack spends on deep copies, until the block ends."""
        before = getattr(pipeline, _COPY)
        timed = self._timed(COPYING, before)
        for module in (pipeline, base):
            setattr(module, _COPY, timed)
        try:
            yield
        finally:
            for module in (pipeline, base):
                setattr(module, _COPY, before)

    def _timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            started = time.perf_counter()
            try:
                return function(*args, **kwargs)
            finally:
                self.ms[name] += (time.perf_counter() - started) * 1000

        return run

    def _timed_async(self, name: str, function: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def run(*args: Any, **kwargs: Any) -> Any:
            started = time.perf_counter()
            try:
                return await function(*args, **kwargs)
            finally:
                self.ms[name] += (time.perf_counter() - started) * 1000

        return run
