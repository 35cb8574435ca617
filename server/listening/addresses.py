"""Where a server listens, and by which names it may be called."""

import ipaddress
import socket
from collections.abc import Sequence

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings

from khub.components.errors import KhubError

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def is_loopback(host: str) -> bool:
    """Say whether only this machine reaches an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def check_address(host: str, guarded: bool) -> None:
    """Refuse to listen where others can come in without a token.

    :raises KhubError: if the address is not this machine's own and no token is needed.
    """
    if not is_loopback(host) and not guarded:
        raise KhubError(
            f"{host} can be reached from other machines",
            "set KHUB_TOKEN, or listen on 127.0.0.1",
            code="address_not_allowed",
        )


def check_proxy(address: str) -> None:
    """Refuse what no client can have: its word would never count, and nobody would know.

    :raises KhubError: if it is neither an address nor a network.
    """
    try:
        ipaddress.ip_network(address)
    except ValueError as error:
        raise KhubError(
            f"{address!r} is no address of a proxy", "write it like 127.0.0.1 or 172.18.0.0/16", code="setting_invalid"
        ) from error


def allowed_hosts(host: str, more: Sequence[str] = ()) -> list[str]:
    """Return the values of `Host` that are answered, without port or with any: a page from elsewhere has another one.

    :param host: the address that is listened on.
    :param more: names by which clients reach this machine.
    """
    names = [*LOOPBACK, f"[{host}]" if ":" in host and not host.startswith("[") else host, *more]
    if not is_loopback(host):
        names += [socket.gethostname(), socket.getfqdn()]
    return [value for name in dict.fromkeys(names) for value in (name, f"{name}:*")]


def allowed_origins(hosts: Sequence[str]) -> list[str]:
    """Return the values of `Origin` that are answered: pages from the hosts themselves.

    :param hosts: from `allowed_hosts`.
    """
    return [f"{scheme}://{name}" for scheme in ("http", "https") for name in hosts]


def known_places(hosts: Sequence[str], more_origins: Sequence[str] = ()) -> TransportSecurityMiddleware:
    """Return what says of a request whether its `Host` and `Origin` are answered.

    :param hosts: from `allowed_hosts`.
    :param more_origins: of pages from elsewhere.
    """
    origins = [*allowed_origins(hosts), *more_origins]
    return TransportSecurityMiddleware(TransportSecuritySettings(allowed_hosts=list(hosts), allowed_origins=origins))
