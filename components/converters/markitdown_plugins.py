"""MarkItDown's plug-ins: packages that read further formats, by the names of their entry points."""

import sys
from collections.abc import Iterable, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from khub.components.allowed_modules import is_allowed
from khub.components.converters.file_types import declared_extensions
from khub.components.errors import GraphError

GROUP = "markitdown.plugin"


def find_plugins(names: Sequence[str]) -> list[EntryPoint]:
    """Return the entry points of plug-ins; none of them is imported.

    :raises GraphError: if one is not installed, or its package is not trusted.
    """
    installed = {found.name: found for found in entry_points(group=GROUP)}
    for name in names:
        if name not in installed:
            known = ", ".join(sorted(installed)) or "none"
            raise GraphError(
                f"there is no MarkItDown plug-in {name!r}",
                f"install its package; there are: {known}",
                code="graph_class_unknown",
            )
        if not is_allowed(module := installed[name].module):
            package = module.partition(".")[0]
            remedy = f"if you trust it: khub trust --module {package}"
            raise GraphError(
                f"the MarkItDown plug-in {name!r} is of the package {package!r}, not trusted",
                remedy,
                code="graph_module_not_allowed",
            )
    return [installed[name] for name in names]


def plugin_converters(plugins: Iterable[EntryPoint]) -> tuple[Any, frozenset[str]]:
    """Return a MarkItDown that knows the formats of plug-ins alone, and the extensions of the files that it reads.

    A converter names them in `extensions`, or its module in `ACCEPTED_FILE_EXTENSIONS`, as MarkItDown's own do.

    :raises GraphError: if a plug-in cannot be used, or does not say what it reads.
    """
    from markitdown import DocumentConverter, MarkItDown  # for a graph that names plug-ins: it takes a second

    class Listing(MarkItDown):
        """Keeps the converters that are registered."""

        def register_converter(self, converter: DocumentConverter, **more: Any) -> None:
            found.append(converter)
            super().register_converter(converter, **more)

    found: list[DocumentConverter] = []
    markitdown, extensions = Listing(enable_builtins=False, enable_plugins=False), set[str]()
    for plugin in plugins:
        found.clear()
        try:
            plugin.load().register_converters(markitdown)
        except Exception as error:  # a package may raise anything while it is imported
            reason = f"{type(error).__name__}: {error}"
            raise GraphError(
                f"the MarkItDown plug-in {plugin.name!r} cannot be used ({reason})",
                "mend it",
                code="graph_class_unknown",
            ) from error
        read = frozenset[str]().union(*map(_extensions, found))
        if not read:
            remedy = 'let its module have ACCEPTED_FILE_EXTENSIONS = [".ext"]'
            raise GraphError(
                f"the MarkItDown plug-in {plugin.name!r} does not say what it reads", remedy, code="graph_class_unknown"
            )
        extensions |= read
    return markitdown, frozenset(extensions)


def _extensions(converter: Any) -> frozenset[str]:
    module = sys.modules[type(converter).__module__]
    return declared_extensions(getattr(converter, "extensions", getattr(module, "ACCEPTED_FILE_EXTENSIONS", ())))
