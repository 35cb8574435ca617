"""Installed packages that announce parts for graphs."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

from khub.components.allowed_modules import is_allowed
from khub.components.converters.markitdown_plugins import GROUP as PLUGINS
from khub.components.own_names import OWN
from khub.server.graphs.catalogue import classes_in

GROUP = "khub.components"
"""Entry points of any name, whose value is a module: its components, and the stores and other parts in it."""


@dataclass(frozen=True)
class AnnouncedPackage:
    """A package with parts for graphs.

    :param distribution: its name and version, as it was installed.
    :param module: what is trusted, and imported.
    :param trusted: whether graphs may name its parts; until then nothing of it is imported.
    :param classes: paths of those that stand under `type:` in a graph; none while it is not trusted.
    :param plugins: names of its plug-ins for `plugins:` of `MarkItDownConverter`.
    """

    distribution: str
    module: str
    trusted: bool
    classes: list[str]
    plugins: list[str]


def announced_packages() -> list[AnnouncedPackage]:
    """Return the packages that announce components or MarkItDown's plug-ins, but for the hub itself."""
    announced = defaultdict[str, list[EntryPoint]](list)
    for entry in (*entry_points(group=GROUP), *entry_points(group=PLUGINS)):
        if not f"{entry.module}.".startswith(OWN):
            announced[entry.module.partition(".")[0]].append(entry)
    return [_package(module, entries) for module, entries in sorted(announced.items())]


def _package(module: str, entries: list[EntryPoint]) -> AnnouncedPackage:
    trusted = all(is_allowed(entry.module) for entry in entries)
    plugins = sorted(entry.name for entry in entries if entry.group == PLUGINS)
    return AnnouncedPackage(_distribution(entries[0]), module, trusted, list(_classes(entries, trusted)), plugins)


def _distribution(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else ""


def _classes(entries: list[EntryPoint], trusted: bool) -> Iterator[str]:
    for module in sorted({entry.module for entry in entries if entry.group == GROUP} if trusted else ()):
        yield from classes_in(module)
