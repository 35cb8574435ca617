"""Which environment variables a graph would send to which hosts, read from its data before anything is built."""

import importlib
import inspect
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from haystack.utils.auth import EnvVarSecret

from khub.components.allowed_modules import is_allowed
from khub.components.own_names import is_own

HOST_KEY = re.compile(
    "url|uri|host|endpoint|address|prox|server|domain|api_base|location|cloud_id|target|dsn|mounts", re.IGNORECASE
)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://")
GENERATORS = frozenset({"chat_generator", "generator", "embedder", "llm", "text_embedder"})
"""Parameters for which classes make one of OpenAI's by themselves when none is given."""

READ_BY_LIBRARIES = {"ollama": ("OLLAMA_API_KEY",)}
"""Integration -> variables that its library reads by itself and sends to whatever host it is given."""


@dataclass
class _Part:
    """A component, or an object inside of one: what it holds by itself, and the objects in it."""

    name: str
    variables: set[str] = field(default_factory=set)
    hosts: set[str] = field(default_factory=set)
    inner: "list[_Part]" = field(default_factory=list)

    def all_hosts(self) -> set[str]:
        return self.hosts.union(*(part.all_hosts() for part in self.inner))


def secret_uses(data: Any) -> list[tuple[str, str]]:
    """Return the pairs (variable, host) of a graph: each variable with all the hosts that are named beside it.

    A component without a host stands for its provider's own: its class is the host's name. Variables that its class
    reads when the graph names none count where they are set. What a contained graph sends by itself is asked when it is
    loaded.

    :param data: the data of a graph, right or not.
    """
    return sorted(set(_uses(_root(data), set())))


def named_hosts(data: Any) -> list[str]:
    """Return the hosts that a graph names."""
    return sorted(_root(data).all_hosts())


def host_name(text: str, is_host: bool = True) -> str:
    """Return the host of an address, without port.

    :param is_host: whether a text that is no address names a host, too; otherwise the result is empty.
    """
    text = text.strip().lower()
    scheme = _SCHEME.match(text)
    if not scheme and not is_host:
        return ""
    place = re.split(r"[/?#]", text[scheme.end() :] if scheme else text)[0]
    if scheme and not is_host and "@" not in text:
        place = re.split(r"\s", place)[0]  # an address in a prompt, and the words behind it
    if not place or "\\" in place or re.search(r"[\s\x00-\x1f\x7f]", place):
        return text  # programs differ in what such an address leads to: it is nobody's but its own
    place = place.rpartition("@")[2]
    return place[1:].partition("]")[0] if place.startswith("[") else place.partition(":")[0]


def _root(data: Any) -> _Part:
    root = _Part("the graph")
    _collect(data.get("components") if isinstance(data, dict) else None, "", root)
    return root


def _collect(value: Any, key: str, part: _Part) -> None:
    """Put what a value holds into the object that it belongs to."""
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    if isinstance(value, str):
        is_file = value.startswith("{home}/")  # of a store template, under `uri`, say
        if host := "" if is_file else host_name(value, bool(HOST_KEY.search(key))):
            part.hosts.add(host)
    elif isinstance(value, list | tuple | set):
        for item in value:
            _collect(item, key, part)
    elif isinstance(value, dict):
        kind = value.get("type")
        if isinstance(kind, str) and "." in kind:
            part.inner.append(_object(kind, value))
            return
        if "env_vars" in value:
            part.variables.update(_sent(value["env_vars"], value.get("strict")))
        for name, item in value.items():
            _collect(str(name), "", part)  # the address of a server may be a key
            _collect(item, key if HOST_KEY.search(key) else str(name), part)


def _sent(named: Any, strict: Any) -> list[str]:
    """Return the variables of a secret that go somewhere: those that are set; all where none is and one has to be."""
    variables = [str(name) for name in (named if isinstance(named, list | tuple) else [named])]
    given = [name for name in variables if name in os.environ]
    return given if given or strict is False else variables


def _object(kind: str, value: dict[str, Any]) -> _Part:
    part = _Part(kind)
    for name, item in value.items():
        if name != "type":
            _collect(item, str(name), part)
    given = value.get("init_parameters")
    part.variables.update(_read_by_default(kind, given if isinstance(given, dict) else {}))
    return part


def _read_by_default(kind: str, given: dict[str, Any]) -> Iterator[str]:
    """Yield the variables that are set and that a class reads for the parameters which are not given."""
    module, _, name = kind.rpartition(".")
    if not is_allowed(module):
        return
    for word in module.split("."):
        yield from (variable for variable in READ_BY_LIBRARIES.get(word, ()) if variable in os.environ)
    try:
        parameters = inspect.signature(getattr(importlib.import_module(module), name).__init__).parameters
    except Exception:  # whoever builds it says why that cannot be
        return
    for parameter in parameters.values():
        makes_one = parameter.name in GENERATORS and not is_own(kind)  # the hub's own make none
        if makes_one and parameter.default is None and not given.get(parameter.name):
            yield from (variable for variable in ("OPENAI_API_KEY",) if variable in os.environ)
        if not given.get(parameter.name):
            # OpenSearch reads a pair: name and password
            several = parameter.default if isinstance(parameter.default, tuple | list) else (parameter.default,)
            found = [one for one in several if isinstance(one, EnvVarSecret)]
            yield from (variable for secret in found for variable in secret._env_vars if variable in os.environ)


def _uses(part: _Part, outer: set[str]) -> Iterator[tuple[str, str]]:
    hosts = (part.all_hosts() or {part.name}) | outer
    yield from ((variable, host) for variable in part.variables for host in hosts)
    for inner in part.inner:
        yield from _uses(inner, outer | part.hosts)
