"""Run a graph, from any thread or event loop, and trace it."""

import asyncio
import concurrent.futures
import contextvars
import logging
import sys
import threading
import time
import traceback
import typing
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from haystack.core.errors import PipelineRuntimeError

from khub.components.call_time import LOADING_S
from khub.components.cancellation import Run, cancellable, current_run
from khub.components.errors import GraphError, KhubError
from khub.components.failure_reason import failure_reason
from khub.components.model_servers.token_limit import one_run
from khub.components.refused_call import refusal
from khub.components.text.nearest_name import nearest
from khub.server.graphs.load import Graph
from khub.server.graphs.places import take_place
from khub.server.graphs.problem import listing
from khub.server.graphs.token_stream import SOCKET, with_token_stream
from khub.server.traces import tracer
from khub.server.traces.record import Request

logger = logging.getLogger(__name__)

CTRL_C_CHECK_S = 0.2
_starting = threading.Lock()

if sys.version_info < (3, 12):
    # Haystack asks of every value on every connection whether it is a Component, which is a protocol. Python 3.12 keeps
    # what such a check needs to know of the protocol; 3.11 finds it out anew each time, a tenth of a question's CPU.
    for _name in ("_get_protocol_attrs", "_is_callable_members_only"):
        setattr(typing, _name, cache(getattr(typing, _name)))


@dataclass(frozen=True)
class RunResult:
    """What a run gave.

    :param outputs: declared output -> value; None where its component did not run.
    :param trace_id: under which the run stands in the trace log.
    :param timings_ms: stage -> milliseconds, and `total`; `warm_up` in the first run of a graph.
    """

    outputs: dict[str, Any]
    trace_id: str
    timings_ms: dict[str, float]


def run_graph(graph: Graph, inputs: dict[str, Any]) -> RunResult:
    """Run a graph and wait for it; many threads may do so at once. Ctrl-C cancels the run.

    :param graph: from `load_graph`.
    :param inputs: declared input -> value; those that are None or left out keep the components' defaults.
    :raises GraphError: for an input that is missing or not declared, or a component that fails.
    :raises KhubError: what a component itself raises.
    :raises RuntimeError: when it is called on the event loop that runs the graphs.
    """
    if threading.current_thread() is _loop_thread()[1]:
        raise RuntimeError("run_graph would wait for itself here: await run_graph_async instead")
    with _traced(graph, inputs) as request:
        future = _start(_run(graph, inputs, request, Run()))
        try:
            # On Windows a wait without a time limit cannot be interrupted.
            while not concurrent.futures.wait([future], timeout=CTRL_C_CHECK_S).done:
                pass
            outputs = future.result()
        except BaseException:
            future.cancel()
            raise
    return RunResult(outputs, request.trace_id, request.timings_ms())


async def run_graph_async(graph: Graph, inputs: dict[str, Any]) -> RunResult:
    """Run a graph without blocking the caller's event loop; cancelling the caller's task cancels the run.

    In a service it waits for its place among others, and keeps it until its threads have ended.

    :param graph: from `load_graph`.
    :param inputs: declared input -> value; those that are None or left out keep the components' defaults.
    :raises TooBusyError: when there is no place for it.
    :raises GraphError: for an input that is missing or not declared, or a component that fails.
    :raises KhubError: what a component itself raises.
    """
    place, run = await take_place(_kind_of_work(graph)), Run()
    try:
        with _traced(graph, inputs) as request:
            outputs = await asyncio.wrap_future(_start(_run(graph, inputs, request, run)))
    except asyncio.CancelledError:
        run.cancelled.set()  # what has not begun on the other loop yet is to know it, too
        _loop_thread()[0].call_soon_threadsafe(run.when_no_thread_works, place.give_back)
        raise
    except BaseException:
        place.give_back()
        raise
    place.give_back()
    return RunResult(outputs, request.trace_id, request.timings_ms())


def _traced(graph: Graph, inputs: dict[str, Any]) -> Any:
    tracer.install()
    return tracer.trace_request(graph.name, graph.kind, inputs, _methods(graph))


@lru_cache(maxsize=128)
def _kind_of_work(graph: Graph) -> str:
    parts = [getattr(instance, "component", instance) for _, instance in graph.pipeline.walk()]
    asks = any(getattr(part, "generator", None) is not None for part in parts)
    streams = any(SOCKET in sockets for sockets in graph.pipeline.inputs(True).values())
    return f"{graph.kind} with a model" if asks or streams else graph.kind


def _methods(graph: Graph) -> dict[str, str]:
    """Return, for components that only wrap another one, the class that does the work."""
    wrapped = ((name, getattr(instance, "component", None)) for name, instance in graph.pipeline.walk())
    return {name: type(inner).__name__ for name, inner in wrapped if hasattr(inner, "run")}


async def _run(graph: Graph, inputs: dict[str, Any], request: Request, run: Run) -> dict[str, Any]:
    data = with_token_stream(graph, _socket_values(graph, inputs))
    if not graph.is_warm():
        started = time.perf_counter()
        await _warm_up(graph)
        request.warm_up_ms = round((time.perf_counter() - started) * 1000, 3)
    try:
        wanted = {socket.partition(".")[0] for socket in graph.outputs.values()}
        with cancellable(run), one_run():
            results = await graph.pipeline.run_async(data, include_outputs_from=wanted)
    except Exception as error:
        if own := _khub_error(error):
            raise own  # noqa: B904 - `from` would hide what it was raised from
        raise _graph_error(graph, error) from error
    return {name: _output(results, socket) for name, socket in graph.outputs.items()}


async def _warm_up(graph: Graph) -> None:
    """Load the models of a graph; that counts against no stage's time, and has a limit of its own."""
    try:
        await asyncio.wait_for(asyncio.to_thread(graph.warm_up), LOADING_S)
    except TimeoutError as error:
        message = f"graph '{graph.name}' is not loaded in {LOADING_S:g} s"
        raise GraphError(
            message, "see in the log what it is at, or take that stage out", code="graph_timeout"
        ) from error


def _output(results: dict[str, Any], path: str) -> Any:
    component, _, socket = path.partition(".")
    return (results.get(component) or {}).get(socket)


def _socket_values(graph: Graph, inputs: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Turn declared inputs into Haystack's component -> socket -> value."""
    for name in inputs:
        if name not in graph.inputs:
            remedy = nearest(name, graph.inputs, "leave it out")
            raise GraphError(
                f"graph '{graph.name}' has no input '{name}' (it has {listing(graph.inputs)})",
                remedy,
                code="graph_input_wrong",
            )
    given = {name: value for name, value in inputs.items() if value is not None}
    for name in sorted(graph.required - set(given)):
        raise GraphError(f"graph '{graph.name}' needs the input '{name}'", "give it a value", code="graph_input_wrong")
    data: dict[str, dict[str, Any]] = {}
    for name, value in given.items():
        for path in graph.inputs[name]:
            component, _, socket = path.partition(".")
            data.setdefault(component, {})[socket] = value
    return data


def _khub_error(error: BaseException) -> KhubError | None:
    """Return the error that a component raised, out of those that Haystack wraps around it."""
    cause: BaseException | None = error
    while isinstance(cause, PipelineRuntimeError):
        cause = cause.__cause__
    return cause if isinstance(cause, KhubError) else None


def _graph_error(graph: Graph, error: Exception) -> GraphError:
    """Return an error that names the component; the log keeps the traceback."""
    logger.error("graph '%s' failed", graph.name, exc_info=error)
    where = ""
    origin: BaseException = error
    if isinstance(error, PipelineRuntimeError) and error.component_name and error.component_type:
        where = f"{error.component_name} ({error.component_type.__name__}): "
        origin = error.__cause__ or error
    remedy = "" if refusal(origin) else _place(origin)  # what a server has refused is told with its own
    return GraphError(f"graph '{graph.name}' failed: {where}{failure_reason(origin)}", remedy, code="graph_failed")


def _place(error: BaseException) -> str:
    """Return where an error was raised; the last place that is not in a library, since that is what one can mend."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "site-packages" not in frame.filename] or frames
    return f"look at {Path(own[-1].filename).name}:{own[-1].lineno}, or at the traceback in the log" if own else ""


def _start(coroutine: Coroutine[Any, Any, dict[str, Any]]) -> Future[dict[str, Any]]:
    return asyncio.run_coroutine_threadsafe(coroutine, _loop_thread()[0])


class _DaemonThreads(ThreadPoolExecutor):
    """Gives every call a daemon thread of its own.

    Asyncio's own pool has six threads on a small machine, so that a few long ingests would hold up every query; and
    the interpreter does not exit before its threads end, however long a component runs after Ctrl-C.
    """

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        run = current_run()
        if run is not None:
            run.thread_begins()
            future.add_done_callback(lambda _: run.thread_ends())
        threading.Thread(target=_work, args=(future, function, args, kwargs), name="graph", daemon=True).start()
        return future


def _work(future: Future[Any], function: Callable[..., Any], args: Any, kwargs: Any) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(function(*args, **kwargs))
    except BaseException as error:
        future.set_exception(error)


def _loop_thread() -> tuple[asyncio.AbstractEventLoop, threading.Thread]:
    """Return the event loop that runs all graphs: clients that components open stay bound to one loop."""
    with _starting:
        return _start_loop()


@cache
def _start_loop() -> tuple[asyncio.AbstractEventLoop, threading.Thread]:
    loop = asyncio.new_event_loop()
    loop.set_default_executor(_DaemonThreads())
    # An empty context: the loop outlives the request that happens to start it.
    thread = threading.Thread(target=contextvars.Context().run, args=(loop.run_forever,), name="graphs", daemon=True)
    thread.start()
    return loop, thread
