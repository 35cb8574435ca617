"""Serve one client over standard input and output."""

import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable
from io import TextIOWrapper
from typing import Any

import anyio
from anyio.to_thread import run_sync
from mcp.server.stdio import stdio_server
from mcp_types import jsonrpc_message_adapter
from pydantic import ValidationError

from khub.server.mcp.bad_message import reply_to_bad_message
from khub.server.mcp.hub_server import HubServer
from khub.server.mcp.protocol_pipes import ProtocolPipes

LEAVING_S = 1.0
"""How long after the end of standard input the process may take to finish what it was asked."""


def serve_stdio(server: HubServer, pipes: ProtocolPipes) -> None:
    """Serve until the client closes its end; the process ends then, whatever still runs in it.

    :param pipes: from `claim_protocol_pipes`.
    """
    signal.signal(signal.SIGINT, lambda *_: leave())  # the thread that reads standard input cannot be interrupted
    try:
        anyio.run(_serve, server, pipes)
    except BaseExceptionGroup as group:
        if group.subgroup(BrokenPipeError) is None:
            raise
    leave()


def leave() -> None:
    """End the process at once: a question that hangs must not keep it after its client has gone."""
    sys.stderr.flush()
    os._exit(0)


async def _serve(server: HubServer, pipes: ProtocolPipes) -> None:
    writer = _Writer(TextIOWrapper(pipes.writing, encoding="utf-8", newline="\n", write_through=True))
    lines = _Lines(TextIOWrapper(pipes.reading, encoding="utf-8", errors="replace"), writer, server.jobs.end)
    async with stdio_server(_as_file(lines), _as_file(writer)) as (read_stream, write_stream):
        low_level = server._lowlevel_server  # run_stdio_async takes no streams
        await low_level.run(read_stream, write_stream, low_level.create_initialization_options())


def _as_file(stream: Any) -> Any:
    """Pass for a file of anyio: the SDK asks for one, and uses of it what these have."""
    return stream


class _Writer:
    """Standard output, a whole message at a time."""

    def __init__(self, file: TextIOWrapper) -> None:
        self._file = file
        self._lock = anyio.Lock()

    async def write(self, text: str) -> None:
        async with self._lock:
            await run_sync(self._write, text)

    async def flush(self) -> None:
        """Do nothing: a message that was written is on its way."""

    def _write(self, text: str) -> None:
        self._file.write(text)
        self._file.flush()


class _Lines:
    """The messages of standard input; what is none is answered here, since the SDK would drop it in silence."""

    def __init__(self, file: TextIOWrapper, writer: _Writer, at_end: Callable[[], None]) -> None:
        self._file = anyio.wrap_file(file)
        self._writer = writer
        self._at_end = at_end

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in self._file:
            try:
                jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValidationError:
                if line.strip():
                    await self._writer.write(reply_to_bad_message(line) + "\n")
            else:
                yield line
        timer = threading.Timer(LEAVING_S, leave)
        timer.daemon = True
        timer.start()
        self._at_end()
