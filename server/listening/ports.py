"""The sockets on which a service is called."""

import socket
import sys
from typing import Any

import uvicorn

from khub.components.errors import KhubError

Place = tuple[socket.AddressFamily, Any]


def listening_socket(config: uvicorn.Config) -> socket.socket:
    """Return a socket that listens already, so that no other service takes its place while this one loads.

    :raises KhubError: if the port is taken.
    """
    bound = _bound(config)
    bound.listen(config.backlog)
    return bound


def worker_sockets(config: uvicorn.Config) -> list[socket.socket]:
    """Return what worker processes get: a socket of its own for each, where the system spreads connections over them.

    Of one that they share, whichever worker wakes first takes all the connections that wait.

    :raises KhubError: if the port is taken.
    """
    bound = _bound(config)
    if sys.platform != "linux":
        return [bound]
    family, address = bound.family, bound.getsockname()
    bound.close()
    return _OneEach([_open(family, address)])


class _OneEach(list[socket.socket]):
    """A socket that keeps the place, and does not listen; a process to which it is sent opens one of its own."""

    def __reduce__(self) -> tuple[Any, Place]:
        return _own, (self[0].family, self[0].getsockname())


def _own(family: socket.AddressFamily, address: Any) -> list[socket.socket]:
    return [_open(family, address)]


def _open(family: socket.AddressFamily, address: Any) -> socket.socket:
    opened = socket.socket(family)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    opened.bind(address)
    return opened


def _bound(config: uvicorn.Config) -> socket.socket:
    """Bind as uvicorn does, which alone would end the process without a word."""
    try:
        return config.bind_socket()
    except (SystemExit, OSError) as error:
        address = f"{config.host}:{config.port}"
        raise KhubError(
            f"{address} cannot be listened on", "is it taken? name another one by --port", code="address_in_use"
        ) from error
