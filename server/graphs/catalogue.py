"""All classes that a graph may name: the hub's own, Haystack's, and those of the packages that are allowed."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path

from haystack import component

from khub.components.allowed_modules import allowed_modules
from khub.components.own_names import OWN
from khub.server.graphs.classes import find_class

PACKAGES = (
    OWN.removesuffix("."),
    "haystack.components",
    "haystack.document_stores",
    "haystack_integrations.components",
    "haystack_integrations.document_stores",
)


def component_classes() -> dict[str, type]:
    """Return the components that can be used here, by the path that stands under `type:`."""
    _import_all()
    found = {path: find_class(path) for path in component.registry if path.startswith(_prefixes())}
    return {path: cls for path, cls in sorted(found.items()) if isinstance(cls, type)}


def part_classes() -> dict[str, type]:
    """Return what stands inside of components, such as document stores and their templates, by its path."""
    parts = {f"{cls.__module__}.{cls.__qualname__}": cls for module in _import_all() for cls in _parts_in(module)}
    return {path: cls for path, cls in sorted(parts.items()) if isinstance(find_class(path), type)}


def classes_in(module: str) -> list[str]:
    """Return the paths of the components, stores and other parts in a module and below it; it is imported."""
    modules = list(_import(module))
    own = (f"{cls.__module__}.{cls.__qualname__}" for name in modules for cls in _parts_in(name))
    return sorted({*own, *(path for path in component.registry if path.startswith(f"{module}."))})


def _prefixes() -> tuple[str, ...]:
    return tuple(f"{package}." for package in _packages())


def _packages() -> list[str]:
    return list(dict.fromkeys([*PACKAGES, *(pattern.removesuffix(".*") for pattern in allowed_modules())]))


def _import_all() -> list[str]:
    """Import every module of the packages; those that need what is not installed are left out."""
    return [name for package in _packages() for name in _import(package)]


def _import(name: str) -> Iterator[str]:
    """Import a module and all below it; yield the names of those that can be imported."""
    try:
        module = importlib.import_module(name)
    except Exception:  # whatever it raises, its classes cannot be used here
        return
    yield name
    paths = list(getattr(module, "__path__", []))
    children = {child.name for child in pkgutil.iter_modules(paths)}
    # packages of several distributions, such as Haystack's integrations, have folders without an __init__.py
    children |= {f.name for path in paths if Path(path).is_dir() for f in Path(path).iterdir() if f.is_dir()}
    for child in sorted(children):
        if child.isidentifier() and not child.startswith("__"):
            yield from _import(f"{name}.{child}")


def _is_component(cls: type) -> bool:
    return f"{cls.__module__}.{cls.__qualname__}" in component.registry


def _parts_in(module_name: str) -> Iterator[type]:
    for cls in vars(importlib.import_module(module_name)).values():
        if inspect.isclass(cls) and cls.__module__ == module_name and not _is_component(cls):
            loads = hasattr(cls, "from_dict") and hasattr(cls, "to_dict")
            if loads and not getattr(cls, "_is_protocol", False):
                yield cls
