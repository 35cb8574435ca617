"""Serve many clients over streamable HTTP."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from mcp.server import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send

from khub.server.graphs.places import Places, counted_among
from khub.server.listening.addresses import allowed_hosts, allowed_origins
from khub.server.listening.connection_limits import ConnectionLimits

if TYPE_CHECKING:
    import uvicorn

PATH = "/mcp"
LEAVING_S = 1
IDLE_S = 1800
MOST_SESSIONS = 2000
"""A session takes about 35 KiB, and keeps what it was last sent: 200 KiB where that was the list of the tools."""
LIMITS = ConnectionLimits()


def http_app(
    server: MCPServer,
    host: str,
    more_hosts: Sequence[str] = (),
    sessions: bool = True,
    more_origins: Sequence[str] = (),
) -> Starlette:
    """Return the application.

    What a request gives rise to, progress and the result, comes as events in the answer to its own POST; a client of
    2026-07-28 that asks for no progress is answered in JSON. Clients of 2025-11-25 and before have a session, without
    which they could cancel nothing; one that is not used for `IDLE_S` seconds is forgotten.

    :param host: address that is listened on.
    :param more_hosts: names by which clients reach this machine, beside its own.
    :param sessions: without them every request stands by itself, and any process may answer it.
    :param more_origins: of web pages from elsewhere that may use it.
    """
    hosts = allowed_hosts(host, more_hosts)
    origins = [*allowed_origins(hosts), *more_origins]
    return server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=not sessions,
        session_idle_timeout=IDLE_S if sessions else None,
        max_sessions=MOST_SESSIONS,
        host=host,
        transport_security=TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins),
    )


def _counted(app: ASGIApp) -> ASGIApp:
    """Let what an application does for an address take places among what it does for others."""
    places = Places()

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        with counted_among(places, str((scope.get("client") or ("",))[0])):
            await app(scope, receive, send)

    return answer


def http_server(server: MCPServer, host: str, port: int, more_hosts: Sequence[str] = ()) -> "uvicorn.Server":
    """Return what serves until it is stopped, and lets no client keep others out, be it with a token or without.

    :param host: address to listen on; see `check_address`.
    :param port: 0 for any that is free.
    :param more_hosts: as for `http_app`.
    """
    import uvicorn

    from khub.server.listening.limited_connection import LimitedConnection
    from khub.server.listening.open_files import allow_many_open_files

    connection = partial(LimitedConnection, limits=LIMITS.within(allow_many_open_files()))
    config = uvicorn.Config(
        _counted(http_app(server, host, more_hosts)),
        http=connection,  # type: ignore[arg-type]  # it is called and nothing else
        host=host,
        port=port,
        log_level="warning",
        timeout_keep_alive=LIMITS.idle_s,
        timeout_graceful_shutdown=LEAVING_S,
        access_log=False,
    )
    return uvicorn.Server(config)
