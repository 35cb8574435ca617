"""The trace of a client that a request is a part of, as W3C's header `traceparent` names it.

See https://www.w3.org/TR/trace-context/. A run keeps an id of its own, since a client may ask several times in one
trace; the id begins with the id of the span under which the hub answers that client.
"""

import contextlib
import contextvars
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field

HEADER = "traceparent"
_FORM = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
KNOWN_FLAGS = 0x03


@dataclass(frozen=True)
class TraceContext:
    """Where a request comes from.

    :param trace_id: 32 hexadecimal digits, of the client's trace.
    :param span_id: 16 of them, of the span that asks.
    :param flags: sampled (1), random (2).
    :param own_span_id: of the span in which the hub answers.
    """

    trace_id: str
    span_id: str
    flags: int
    own_span_id: str = field(default_factory=lambda: secrets.token_hex(8))

    def answer(self) -> str:
        """Return what is sent back in the `traceparent` of the answer."""
        return f"00-{self.trace_id}-{self.own_span_id}-{self.flags:02x}"


_context: contextvars.ContextVar[TraceContext | None] = contextvars.ContextVar("khub_trace_context", default=None)


def trace_context() -> TraceContext | None:
    """Return where the request comes from that this code runs for; None where that is not known."""
    return _context.get()


@contextlib.contextmanager
def coming_from(context: TraceContext | None) -> Iterator[None]:
    """Let the block answer a request that comes from somewhere."""
    token = _context.set(context)
    try:
        yield
    finally:
        _context.reset(token)


def context_in(traceparent: object) -> TraceContext | None:
    """Return what a `traceparent` says; None for one that is not valid, which counts as none."""
    match = _FORM.fullmatch(traceparent.strip(" \t")) if isinstance(traceparent, str) else None
    if match is None:
        return None
    version, trace_id, span_id, flags, more = match.groups()
    if version == "ff" or (version == "00" and more) or not int(trace_id, 16) or not int(span_id, 16):
        return None
    return TraceContext(trace_id, span_id, int(flags, 16) & KNOWN_FLAGS)
