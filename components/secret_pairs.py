"""Which secret goes to which host: read out of the data of a graph, before anything of it is built."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from components.errors import GraphError
from components.trust import allowed_pairs

NEVER = frozenset({"KHUB_TOKEN", "KHUB_WRITE_TOKEN", "KHUB_DATABASE_URL"})
"""Doors of the hub itself: no graph has any use for them."""
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
IF_TRUSTED = "if you trust it: khub trust --secret"
_NAMES_A_HOST = re.compile(r"(?:^|_)(?:url|uri|host|endpoint|base|server|address|proxy)(?:$|_|s$)", re.IGNORECASE)


class SecretPair(NamedTuple):
    """A variable of the environment, and where its value goes: a host, or the class whose provider it goes to."""

    variable: str
    host: str


class SecretError(GraphError):
    """A secret that would go where the user has not allowed it to.

    :param pairs: those that are not allowed and may be; none where the variable may go nowhere.
    """

    def __init__(self, message: str, remedy: str, pairs: tuple[SecretPair, ...] = ()) -> None:
        super().__init__(message, remedy)
        self.pairs = pairs


def check_secrets(data: Any, what: str) -> None:
    """Refuse what sends a secret where the user has not allowed it to.

    :param data: the components of a graph, name -> entry, or anything that holds entries.
    :param what: what the data is, for the message.
    :raises SecretError: naming variable, host and remedy.
    """
    pairs = secret_pairs(data)
    if closed := sorted({pair.variable for pair in pairs} & NEVER):
        raise SecretError(f"{what} sends {closed[0]} away, which opens the hub itself", "name another variable")
    allowed = allowed_pairs()
    if missing := sorted(pair for pair in pairs if (pair.variable, pair.host.lower()) not in allowed):
        variable, host = missing[0]
        raise SecretError(f"{what} sends {variable} to {host}", f"{IF_TRUSTED} {variable} {host}", tuple(missing))


def secret_pairs(data: Any) -> set[SecretPair]:
    """Return every secret of a graph's components with every host of the component that it stands in.

    Where the part that holds the secret names no host itself, its class stands for that of the provider.
    """
    components = data.values() if isinstance(data, dict) and "type" not in data else [data]
    found: set[SecretPair] = set()
    for component in components:
        hosts = hosts_of(component)
        for variable, entry in _secrets(component, {}):
            own = set() if any(_named_hosts(entry)) else {str(entry.get("type", "?"))}
            found |= {SecretPair(variable, host) for host in hosts | own}
    return found


def hosts_of(data: Any) -> set[str]:
    """Return the hosts that data name: those of addresses anywhere, and values of `host`, `base_url` and the like."""
    return {host for key, value in _strings(data) if (host := _host(key, value))}


def _host(key: str, value: str) -> str:
    if "://" not in value and not _NAMES_A_HOST.search(key):
        return ""
    try:
        return (urlsplit(value if "://" in value else f"//{value}").hostname or "").lower()
    except ValueError:
        return value


def _named_hosts(entry: dict[str, Any]) -> Iterator[str]:
    """Yield the hosts that stand in an entry under a name for one, not in entries inside of it."""
    for key, value in (entry.get("init_parameters") or {}).items():
        if isinstance(value, str) and _NAMES_A_HOST.search(str(key)) and (host := _host(str(key), value)):
            yield host


def _secrets(value: Any, entry: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each variable with the entry (`{type, init_parameters}`) that is nearest around it."""
    if isinstance(value, dict):
        if value.get("type") == "env_var":
            variables = value.get("env_vars")
            yield from ((str(name), entry) for name in (variables if isinstance(variables, list) else [variables]))
            return
        here = value if "." in str(value.get("type", "")) else entry
        for item in value.values():
            yield from _secrets(item, here)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _secrets(item, entry)


def _strings(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _strings(item, str(name))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _strings(item, key)
