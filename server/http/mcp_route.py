"""MCP at a path of the service: other tools for who may write."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

from khub.server.access_right import Access
from khub.server.mcp.http import http_app
from khub.server.mcp.options import ServerOptions
from khub.server.mcp.server import build_server


class McpRoute:
    """Hands a request to the MCP server whose tools its token may use.

    :param host: address that is listened on.
    :param more_hosts: names by which clients reach this machine.
    :param roots: folders from which files may be ingested.
    :param sessions: whether clients have them; where several processes or machines serve, each request stands by
        itself, so that a client cannot cancel one.
    :param origins: of web pages from elsewhere that may use it.
    :param shown_at: path at which the service shows a document, with `{id}`.
    """

    def __init__(
        self,
        host: str,
        more_hosts: Sequence[str],
        roots: tuple[Path, ...],
        sessions: bool,
        origins: Sequence[str] = (),
        shown_at: str = "",
    ) -> None:
        self._reading = http_app(build_server(ServerOptions(shown_at=shown_at)), host, more_hosts, sessions, origins)
        options = ServerOptions(allow_write=True, roots=roots, shown_at=shown_at)
        self._writing = http_app(build_server(options), host, more_hosts, sessions, origins)
        self._stopped = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        app = self._writing if scope["state"]["access"] is Access.WRITE else self._reading
        if scope["method"] != "GET":
            await app(scope, receive, send)
            return
        stream = asyncio.create_task(app(scope, receive, send))  # stands as long as its client
        stopped = asyncio.create_task(self._stopped.wait())
        try:
            await asyncio.wait({stream, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if stream.done():
                await stream
                return
        finally:
            stream.cancel()
            stopped.cancel()
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    def end_streams(self) -> None:
        """End what stands as long as its client, and would keep the service from ending."""
        self._stopped.set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keep the sessions of the block."""
        async with AsyncExitStack() as stack:
            for app in (self._reading, self._writing):
                await stack.enter_async_context(_lifespan(app))
            yield


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    async with app.router.lifespan_context(app):
        yield
