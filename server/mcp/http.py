"""Serve many clients over streamable HTTP."""

import ipaddress
import socket
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from mcp.server import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette

from components.errors import KhubError
from server.http.connection_limits import ConnectionLimits

if TYPE_CHECKING:
    import uvicorn

PATH = "/mcp"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
LEAVING_S = 1
IDLE_S = 1800
MOST_SESSIONS = 2000
"""A session takes about 35 KiB."""
LIMITS = ConnectionLimits()


def is_loopback(host: str) -> bool:
    """Say whether only this machine reaches an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def check_address(host: str, token: str | None) -> None:
    """Refuse to listen where others can come in without a token.

    :raises KhubError: if the address is not this machine's own and there is no token.
    """
    if not is_loopback(host) and not token:
        raise KhubError(f"{host} can be reached from other machines", "set KHUB_TOKEN, or listen on 127.0.0.1")


def allowed_hosts(host: str, more: Sequence[str] = ()) -> list[str]:
    """Return the values of `Host` that are answered, without port or with any: a page from elsewhere has another one.

    :param host: the address that is listened on.
    :param more: names by which clients reach this machine.
    """
    names = [*LOOPBACK, f"[{host}]" if ":" in host and not host.startswith("[") else host, *more]
    if not is_loopback(host):
        names += [socket.gethostname(), socket.getfqdn()]
    return [value for name in dict.fromkeys(names) for value in (name, f"{name}:*")]


def http_app(server: MCPServer, host: str, more_hosts: Sequence[str] = ()) -> Starlette:
    """Return the application.

    What a request gives rise to, progress and the result, comes as events in the answer to its own POST; a client of
    2026-07-28 that asks for no progress is answered in JSON. Clients of 2025-11-25 and before have a session, without
    which they could cancel nothing; one that is not used for `IDLE_S` seconds is forgotten.

    :param host: address that is listened on.
    :param more_hosts: names by which clients reach this machine, beside its own.
    """
    hosts = allowed_hosts(host, more_hosts)
    origins = [f"{scheme}://{name}" for scheme in ("http", "https") for name in hosts]
    return server.streamable_http_app(
        streamable_http_path=PATH,
        session_idle_timeout=IDLE_S,
        max_sessions=MOST_SESSIONS,
        host=host,
        transport_security=TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins),
    )


def http_server(server: MCPServer, host: str, port: int, more_hosts: Sequence[str] = ()) -> "uvicorn.Server":
    """Return what serves until it is stopped, and lets no client keep others out, be it with a token or without.

    :param host: address to listen on; see `check_address`.
    :param port: 0 for any that is free.
    :param more_hosts: as for `http_app`.
    """
    import uvicorn

    from server.http.limited_connection import LimitedConnection
    from server.http.open_files import allow_many_open_files

    connection = partial(LimitedConnection, limits=LIMITS.within(allow_many_open_files()))
    config = uvicorn.Config(
        http_app(server, host, more_hosts),
        http=connection,  # type: ignore[arg-type]  # it is called and nothing else
        host=host,
        port=port,
        log_level="warning",
        timeout_graceful_shutdown=LEAVING_S,
        access_log=False,
    )
    return uvicorn.Server(config)
