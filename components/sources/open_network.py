"""Let libraries connect to the open internet alone, whatever their own code, a redirect or a name server says."""

import contextlib
import ipaddress
import socket
import threading
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from khub.components.errors import SourceError
from khub.components.sources.public_address import is_public

_within: ContextVar[bool] = ContextVar("public_addresses_only", default=False)
_lock = threading.Lock()
_blocks = 0


@contextlib.contextmanager
def public_addresses_only() -> Iterator[None]:
    """Refuse every connection of this thread to this machine or a private network, at the moment it would be made.

    Python's sockets look at the address, after the name was resolved: what was looked at is what is connected to. What
    a library of another language connects to is not seen.

    :raises SourceError: in the block, from whatever connects.
    """
    _guard(1)
    token = _within.set(True)
    try:
        yield
    finally:
        _within.reset(token)
        _guard(-1)


def _guard(change: int) -> None:
    """Let sockets look at addresses as long as there is a block; an audit hook would stay, and disturb debuggers."""
    global _blocks  # noqa: PLW0603 - one for the process, as the class of its sockets is
    with _lock:
        _blocks += change
        if change > 0 and _blocks == 1:
            socket.socket.connect = _connect  # type: ignore[assignment, method-assign]
            socket.socket.connect_ex = _connect_ex  # type: ignore[assignment, method-assign]
        elif not _blocks:
            del socket.socket.connect, socket.socket.connect_ex  # those of the class below are there again


def _connect(self: socket.socket, address: Any) -> None:
    _look_at(address)
    super(socket.socket, self).connect(address)


def _connect_ex(self: socket.socket, address: Any) -> int:
    _look_at(address)
    return super(socket.socket, self).connect_ex(address)


def _look_at(address: Any) -> None:
    host = str(address[0]) if isinstance(address, tuple) else str(address)
    if _within.get() and not _is_open(host):
        raise SourceError(
            f"the connection leads to {host}, which is no public address",
            "say `private: true` (--set private=true) if that is meant",
            code="url_not_allowed",
        )


def _is_open(host: str) -> bool:
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:  # a name that the system would resolve by itself, or the path of a socket
        return False
    return is_public(host)
