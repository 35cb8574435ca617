"""A Haystack tracer that turns every component run into a stage of its request's trace."""

import contextlib
import contextvars
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from haystack import tracing
from haystack.tracing import Span, Tracer
from haystack.tracing.tracer import NullTracer

from khub.server.traces.log import trace_level, write_trace
from khub.server.traces.otel import exporting_tracer
from khub.server.traces.record import Request, StageSpan
from khub.server.traces.warn_once import warn_once

_REQUEST: contextvars.ContextVar[Request | None] = contextvars.ContextVar("khub_request", default=None)
_SPAN: contextvars.ContextVar["HubSpan | None"] = contextvars.ContextVar("khub_span", default=None)
StageWatcher = Callable[[StageSpan, Mapping[str, Any] | None], None]
_WATCHER: contextvars.ContextVar[StageWatcher | None] = contextvars.ContextVar("khub_watcher", default=None)
RequestWatcher = Callable[[Request], None]
_REQUEST_WATCHERS: list[RequestWatcher] = []

PIPELINE_RUN = "haystack.pipeline.run"
COMPONENT_RUN = "haystack.component.run"
COMPONENT_INPUT = "haystack.component.input"
COMPONENT_OUTPUT = "haystack.component.output"


def install() -> None:
    """Make Haystack report to the hub's tracer.

    Idempotent. A tracer that is already there (hayhooks' live view …) goes on getting every span, else the one that
    exports them where that is wanted; one that has been put around the hub's tracer later is left as it is.
    """
    probe = HubSpan(None, None, None)
    token = _SPAN.set(probe)
    try:
        if tracing.tracer.current_span() is probe:
            return  # the hub's tracer answers, be it directly or behind another one
    finally:
        _SPAN.reset(token)
    actual = tracing.tracer.actual_tracer
    tracing.enable_tracing(HubTracer(exporting_tracer() if type(actual) is NullTracer else actual))


def current_trace_id() -> str | None:
    """Return the id of the request that this code runs for, also in a component's thread; None outside of one."""
    request = _REQUEST.get()
    return request.trace_id if request else None


@contextlib.contextmanager
def watch_stages(watcher: StageWatcher) -> Iterator[None]:
    """Tell `watcher` of every stage of the graphs that the block runs, on the thread that runs them.

    :param watcher: called with a stage and None when it begins, and with its outputs when it has ended; what it raises
        is lost.
    """
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _reset(_WATCHER, token)


@contextlib.contextmanager
def watch_requests(watcher: RequestWatcher) -> Iterator[None]:
    """Tell `watcher` of every request of the process that ends while the block runs, whatever is traced.

    :param watcher: called on the thread that the request ran on; what it raises is lost.
    """
    _REQUEST_WATCHERS.append(watcher)
    try:
        yield
    finally:
        _REQUEST_WATCHERS.remove(watcher)


@contextlib.contextmanager
def trace_request(
    graph: str, kind: str, inputs: Mapping[str, Any], methods: Mapping[str, str] | None = None
) -> Iterator[Request]:
    """Gather all spans opened in the block under one trace id, and write the trace when the block ends.

    :param graph: the graph's name.
    :param kind: `query`, `verify`, `ingest` or `evaluate`.
    :param inputs: declared input -> value; `query`, `collection` and `sources` go into the record.
    :param methods: component name -> class that does its work, where that is another one (a guarded component).
    :raises BaseException: whatever the block raises, after it has been noted in the trace.
    """
    request = Request(graph, kind, inputs, trace_level(), methods or {})
    request_token, span_token = _REQUEST.set(request), _SPAN.set(None)
    try:
        yield request
    except BaseException as error:
        request.error = error
        raise
    finally:
        _reset(_SPAN, span_token)
        _reset(_REQUEST, request_token)
        _write(request)


class HubSpan(Span):
    """One span: a stage when it is a component's run, else a part of the stage around it."""

    def __init__(self, request: Request | None, stage: StageSpan | None, inner: Span | None) -> None:
        self.request = request
        self.stage = stage
        self.inner = inner

    def set_tag(self, key: str, value: Any) -> None:
        """Keep a tag that a component sets of itself among its stage's details."""
        if self.inner is not None:
            self.inner.set_tag(key, value)
        if self.request and self.stage and not key.startswith("haystack."):
            with _never_raise():
                self.stage.add_detail(key, value, self.request.level)

    def set_content_tag(self, key: str, value: Any) -> None:
        """Summarize what went into or came out of a component, at once: the objects may change afterwards."""
        if self.inner is not None:
            self.inner.set_content_tag(key, value)
        if not self.request or not self.stage:
            return
        with _never_raise():
            if key == COMPONENT_INPUT:
                self.stage.set_input(value, self.request.level)
            elif key == COMPONENT_OUTPUT:
                self.stage.set_output(value, self.request.level)
                self.request.note_output(value)
                _tell(self.stage, value)
            elif not key.startswith("haystack."):
                self.stage.add_detail(key, value, self.request.level)

    def raw_span(self) -> Any:
        """Return the span of the tracer behind this one, if there is one."""
        return self.inner.raw_span() if self.inner is not None else self

    def get_correlation_data_for_logs(self) -> dict[str, Any]:
        """Return the ids that tie log lines to this span; those of the tracer behind this one come first."""
        own: dict[str, Any] = {}
        if self.request:
            own = {"trace_id": self.request.trace_id, "span_id": f"{id(self):016x}"}
        return {**own, **(self.inner.get_correlation_data_for_logs() if self.inner is not None else {})}


class HubTracer(Tracer):
    """Hands every span to the request it belongs to, and to the tracer that was there before.

    :param inner: the other tracer, or None.
    """

    def __init__(self, inner: Tracer | None) -> None:
        self.inner = inner

    def current_span(self) -> Span | None:
        """Return the span in which this code runs, or None."""
        return _SPAN.get()

    @contextlib.contextmanager
    def trace(
        self, operation_name: str, tags: dict[str, Any] | None = None, parent_span: Span | None = None
    ) -> Iterator[Span]:
        """Open a span for the block.

        A pipeline that is run outside of `trace_request` (plain hayhooks) becomes a request of its own.

        :param operation_name: `haystack.component.run` makes a stage.
        :param tags: what Haystack says about the span.
        :param parent_span: the span around it; the current one by default.
        :raises BaseException: whatever the block raises.
        """
        tags = tags or {}
        parent = parent_span if isinstance(parent_span, HubSpan) else _SPAN.get()
        with contextlib.ExitStack() as stack:
            if _REQUEST.get() is None and operation_name == PIPELINE_RUN:
                stack.enter_context(_request_of_pipeline(tags))
            inner = None
            if self.inner is not None:
                inner_parent = parent.inner if parent else None
                inner = stack.enter_context(self.inner.trace(operation_name, tags=tags, parent_span=inner_parent))
            span = HubSpan(_REQUEST.get(), None, inner)
            if span.request:
                if inner is not None and operation_name == PIPELINE_RUN:
                    inner.set_tag("khub.trace_id", span.request.trace_id)
                span.stage = _open_stage(span.request, operation_name, tags, parent.stage if parent else None)
            token = _SPAN.set(span)
            try:
                yield span
            except BaseException as error:
                if span.stage:
                    span.stage.error = error
                raise
            finally:
                if span.stage:
                    span.stage.end = time.perf_counter()
                _reset(_SPAN, token)


def _open_stage(request: Request, operation: str, tags: dict[str, Any], around: StageSpan | None) -> StageSpan | None:
    """Begin a stage or a part of one; the run of a pipeline itself is neither."""
    if operation == PIPELINE_RUN:
        return around
    if operation == COMPONENT_RUN:
        name, type_ = str(tags.get("haystack.component.name")), str(tags.get("haystack.component.fully_qualified_type"))
        stage = request.open_stage(name, type_, around, tags.get("haystack.component.input_spec") or {})
        _tell(stage, None)
        return stage
    part = StageSpan(operation, "", "")
    with _never_raise():
        for key, value in tags.items():
            part.add_detail(key, value, request.level)
        if around:
            around.parts.append(part)
    return part


def _tell(stage: StageSpan, outputs: Mapping[str, Any] | None) -> None:
    if (watcher := _WATCHER.get()) is not None:
        with _never_raise():
            watcher(stage, outputs)


def _request_of_pipeline(tags: dict[str, Any]) -> contextlib.AbstractContextManager[Request]:
    metadata = tags.get("haystack.pipeline.metadata") or {}
    data = tags.get("haystack.pipeline.input_data") or {}
    inputs: dict[str, Any] = {}
    for sockets in data.values():
        for socket, value in sockets.items():
            inputs.setdefault(socket, value)
    return trace_request(str(metadata.get("name") or ""), str(metadata.get("kind") or ""), inputs)


def _reset(variable: contextvars.ContextVar[Any], token: contextvars.Token[Any]) -> None:
    try:
        variable.reset(token)
    except ValueError:
        # An abandoned async generator is closed in another context than the one it began in; there is nothing to undo.
        return


def _write(request: Request) -> None:
    request.end = time.perf_counter()
    if request.level != "off":
        with _never_raise():
            write_trace(request.record())
    for watcher in tuple(_REQUEST_WATCHERS):  # one may leave meanwhile
        with _never_raise():
            watcher(request)


@contextlib.contextmanager
def _never_raise() -> Iterator[None]:
    """Turn an error of tracing itself into one warning: no request may fail for it."""
    try:
        yield
    except Exception as error:
        warn_once("lost", f"a part of a trace is lost: {type(error).__name__}: {error}")
