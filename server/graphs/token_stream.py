"""Tokens of a language model in a graph, handed on while they come."""

import contextlib
import contextvars
from collections.abc import Callable, Iterator
from typing import Any

from haystack.dataclasses import StreamingChunk

from khub.server.graphs.load import Graph

SOCKET = "streaming_callback"

OnToken = Callable[[str], object]
_ON_TOKEN: contextvars.ContextVar[OnToken | None] = contextvars.ContextVar("khub_on_token", default=None)


@contextlib.contextmanager
def stream_tokens(on_token: OnToken) -> Iterator[None]:
    """Hand on the tokens of the graphs that the block runs.

    The last component of a graph that takes a `streaming_callback` streams, as in Hayhooks. A graph without one runs as
    ever. What is handed on is not checked yet: the answer of the graph is what counts.

    :param on_token: called with each piece of text, in another thread.
    """
    token = _ON_TOKEN.set(on_token)
    try:
        yield
    finally:
        _ON_TOKEN.reset(token)


def with_token_stream(graph: Graph, data: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the values of a graph's sockets, with a callback where its tokens are wanted (see `stream_tokens`).

    :param graph: the graph.
    :param data: component -> socket -> value.
    """
    on_token = _ON_TOKEN.get()
    streaming = [name for name, sockets in graph.pipeline.inputs().items() if SOCKET in sockets] if on_token else []
    if on_token is None or not streaming:
        return data

    # a function, since Haystack copies all inputs deeply, the object of a bound method too
    def callback(chunk: StreamingChunk) -> None:
        if chunk.content:
            on_token(chunk.content)

    last = streaming[-1]
    return {**data, last: {**data.get(last, {}), SOCKET: callback}}
