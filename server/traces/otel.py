"""Whether spans are exported over OpenTelemetry's protocol: to the address in `$OTEL_EXPORTER_OTLP_ENDPOINT`."""

import os

from haystack.tracing import Tracer

from khub.components.extras import install_extra
from khub.server.traces.warn_once import warn_once

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"


def exporting_tracer() -> Tracer | None:
    """Return a tracer that exports what it is given; None where no address is set, or what it takes is missing.

    Without an address nothing is sent, and nothing imported.
    """
    if not os.environ.get(ENDPOINT):
        return None
    try:
        from khub.server.traces.otel_tracer import OtelTracer

        return OtelTracer()
    except (ImportError, ValueError) as error:  # it is not installed, or another variable of it is wrong
        warn_once("otel", f"{ENDPOINT} is set and nothing is exported ({error}): {install_extra('otel')}")
        return None
