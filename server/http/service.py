"""Serve until the service is told to stop; what was asked before is still answered."""

import socket
from collections.abc import Callable
from functools import partial

import uvicorn

from server.http.app import ServiceOptions, build_service
from server.http.connection_limits import ConnectionLimits
from server.http.limited_connection import LimitedConnection
from server.http.open_files import allow_many_open_files

LEAVING_S = 20
"""So long may requests take that are being answered when the service is told to stop."""
LIMITS = ConnectionLimits()


class Service(uvicorn.Server):
    """Ends what never ends by itself before it waits for the rest."""

    def __init__(self, config: uvicorn.Config, end_streams: Callable[[], None]) -> None:
        super().__init__(config)
        self._end_streams = end_streams

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no more requests, and wait for the answers of those that are there."""
        self._end_streams()
        await super().shutdown(sockets)


def http_service(options: ServiceOptions, port: int) -> uvicorn.Server:
    """Return what serves until it is stopped.

    :param options: what it allows.
    :param port: 0 for any that is free.
    """
    connection = partial(LimitedConnection, limits=LIMITS.within(allow_many_open_files()))
    app = build_service(options)
    config = uvicorn.Config(
        app,
        http=connection,  # type: ignore[arg-type]  # it is called and nothing else
        ws="none",
        host=options.host,
        port=port,
        log_config=None,
        timeout_graceful_shutdown=LEAVING_S,
        access_log=False,
        server_header=False,
        proxy_headers=False,
    )
    return Service(config, app.app.state.end_streams)
