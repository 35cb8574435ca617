"""Put off the import of what a library loads with itself, and most runs never use."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

PUT_OFF: Mapping[str, Mapping[str, Sequence[str]]] = {
    # its class of devices names torch in the bodies of functions alone; its telemetry is off
    "haystack": {"torch": (), "posthog": ()},
    # spans go to a collector only where its settings name one
    "chromadb": {"opentelemetry.exporter.otlp.proto.grpc.trace_exporter": ("OTLPSpanExporter",)},
}
"""Library -> module that it loads with itself -> the functions and classes that it takes out of that by name.

Only the library sees the stand-in: whoever else imports the module gets it as it is."""


class StandIn(ModuleType):
    """Stands for a module until something of it is used, which loads it.

    :param name: of the module.
    :param taken: functions and classes of it that are taken by name, which does not load it yet; a call does.
    """

    def __init__(self, name: str, taken: Sequence[str]) -> None:
        super().__init__(name)
        self._taken = taken

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the module."""
        if name in self._taken:
            return partial(self._call, name)
        if name.startswith("__"):  # the import system asks for these
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(self._load(), name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute of the module."""
        if name.startswith("_"):
            super().__setattr__(name, value)
        else:
            setattr(self._load(), name, value)

    def _call(self, name: str, *arguments: Any, **named: Any) -> Any:
        return getattr(self._load(), name)(*arguments, **named)

    def _load(self) -> ModuleType:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return import_module(self.__name__)


class PutOffImports(MetaPathFinder):
    """Lets the libraries of a table be imported without what it names for them."""

    def __init__(self, put_off: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
        self._put_off = put_off
        self._looked_for: set[str] = set()

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        """Return how a library of the table is loaded; None for all others."""
        if name not in self._put_off or name in self._looked_for:
            return None
        self._looked_for.add(name)  # the others are to find it
        try:
            spec = find_spec(name)
        finally:
            self._looked_for.discard(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Light(spec.loader, self._put_off[name])
        return spec


class _Light(Loader):
    """Loads a library while stand-ins lie in the places of some modules."""

    def __init__(self, loader: Loader, modules: Mapping[str, Sequence[str]]) -> None:
        self._loader = loader
        self._modules = modules

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)  # resources of the library are read through it

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        with _stand_ins(self._modules):
            self._loader.exec_module(module)


@contextmanager
def _stand_ins(modules: Mapping[str, Sequence[str]]) -> Iterator[None]:
    placed = {name: StandIn(name, taken) for name, taken in modules.items() if _can_be_put_off(name)}
    sys.modules.update(placed)
    try:
        yield
    finally:
        for name, one in placed.items():
            if sys.modules.get(name) is one:
                del sys.modules[name]


def _can_be_put_off(name: str) -> bool:
    """Say whether a module is not loaded, and installed: what asks for a missing one is to be told."""
    return name not in sys.modules and find_spec(name.partition(".")[0]) is not None
