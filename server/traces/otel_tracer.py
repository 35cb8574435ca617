"""Spans of OpenTelemetry for those of Haystack, sent to a collector in the background.

Texts (questions, passages, answers, messages of errors) go along where `$HAYSTACK_CONTENT_TRACING_ENABLED` says so, and
nowhere else.
"""

import contextlib
import os
from collections.abc import Iterator
from typing import Any

from haystack import tracing
from haystack.tracing import Span, Tracer
from haystack_integrations.tracing.opentelemetry import OpenTelemetrySpan
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from khub.server.traces.trace_context import trace_context

NAME = "knowledge-hub"
QUESTION = "haystack.pipeline.input_data"
"""A tag of Haystack that holds content, and is not marked so."""

PATIENCE, PATIENCE_S = {"OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT"}, 3.0
"""A command waits at its end for a collector that does not answer; the SDK's own 10 s are long for one question."""


class OtelTracer(Tracer):
    """Opens a span of OpenTelemetry for each of Haystack's.

    The provider is its own, not the process's: through that, libraries would export what nobody asked for. The SDK
    reads the address, headers and limits from its own variables; what it holds is sent when the process ends.
    """

    def __init__(self) -> None:
        service = os.environ.get("OTEL_SERVICE_NAME") or NAME
        provider = TracerProvider(resource=Resource.create({SERVICE_NAME: service}))
        patience_s = None if PATIENCE & os.environ.keys() else PATIENCE_S
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=patience_s)))
        self._tracer = provider.get_tracer(NAME)

    @contextlib.contextmanager
    def trace(
        self,
        operation_name: str,
        tags: dict[str, Any] | None = None,
        parent_span: Span | None = None,  # noqa: ARG002 - OpenTelemetry knows which one is around
    ) -> Iterator[Span]:
        """Open a span for the block, below the current one, or below the client's where there is none.

        :raises BaseException: whatever the block raises.
        """
        with_texts = tracing.tracer.is_content_tracing_enabled
        shown = {key: value for key, value in (tags or {}).items() if with_texts or key != QUESTION}
        with self._tracer.start_as_current_span(
            operation_name,
            context=_of_the_client(),
            record_exception=with_texts,  # its message may quote the question
            set_status_on_exception=with_texts,
        ) as raw:
            span = OpenTelemetrySpan(raw)
            span.set_tags(shown)
            try:
                yield span
            except BaseException as error:
                if not with_texts:
                    raw.set_status(trace.StatusCode.ERROR, type(error).__name__)
                raise

    def current_span(self) -> Span | None:
        """Return the current span, if it is exported."""
        raw = trace.get_current_span()
        return OpenTelemetrySpan(raw) if raw.is_recording() else None


def _of_the_client() -> Context | None:
    """Return the client's span as what is around, where no span of this process is; None otherwise."""
    came = trace_context()
    if came is None or trace.get_current_span().get_span_context().is_valid:
        return None
    flags = trace.TraceFlags(came.flags)
    parent = trace.SpanContext(int(came.trace_id, 16), int(came.span_id, 16), is_remote=True, trace_flags=flags)
    return trace.set_span_in_context(trace.NonRecordingSpan(parent))
