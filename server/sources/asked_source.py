"""What a source is asked for, however that was said: at the command, or in `sources.yaml`."""

import contextlib
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from khub.components.catalog.access import ACCESS_FIELD
from khub.components.catalog.kept_path import FILES, source_folder, source_key
from khub.components.errors import KhubError, SourceError
from khub.components.private_files import private_folder
from khub.components.sources.address import open_source, shown_source
from khub.components.sources.open_network import public_addresses_only
from khub.components.sources.source import Options, Source
from khub.components.text.nearest_name import nearest
from khub.components.text.shown_address import without_credentials

SCRATCH, KEPT = "scratch", "kept"
LEFT_AFTER_S = 86_400.0
"""Nobody is at work any more in a folder in which nothing has come or gone for a day."""


@dataclass(frozen=True)
class AskedSource:
    """A source, the collection that follows it, and how.

    :param address: such as `web:https://docs.example.com`; a password in it is used and kept nowhere.
    :param graph: of kind `ingest`.
    :param level: access level of its documents; None where everybody may read them, empty where nobody has said.
    :param private: whether addresses of this machine and of private networks may be asked.
    :param every_s: seconds from one time to the next; None: only when somebody asks.
    :param settings: of the source itself.
    """

    address: str
    collection: str
    graph: str = "ingest"
    level: Any = ""
    private: bool = False
    max_mb: float = 200
    max_items: int = 100_000
    every_s: float | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def shown(self) -> str:
        """Return the address without credentials."""
        return shown_source(self.address)

    @property
    def key(self) -> str:
        """Return what names it, together with its collection."""
        return source_key(self.collection, self.shown)

    @property
    def folder(self) -> Path:
        """Return where its files lie."""
        return source_folder(self.collection, self.key) / FILES

    @property
    def meta(self) -> dict[str, Any]:
        """Return the metadata of all its documents."""
        return {} if self.level == "" else {ACCESS_FIELD: self.level}

    @contextlib.contextmanager
    def opened(self, extensions: frozenset[str], dry_run: bool = False) -> Iterator[Source]:
        """Give the source; what it connects to is looked at as long as the block runs.

        :param extensions: of what the graph reads.
        :param dry_run: whether nothing may stay.
        :raises SourceError: if its address or a setting cannot be used.
        """
        folder = source_folder(self.collection, self.key)
        private_folder(folder)
        _remove_left(folder)
        scratch = Path(tempfile.mkdtemp(dir=folder, prefix=f"{SCRATCH}-"))
        kept = scratch / KEPT if dry_run else folder / KEPT
        options = Options(scratch, kept, self.max_mb, self.max_items, self.private, extensions, dict(self.settings))
        guard: Callable[[], Any] = contextlib.nullcontext if self.private else public_addresses_only
        try:
            with guard():
                source = open_source(self.address, options)
                try:
                    self._check(source)
                    yield source
                finally:
                    source.close()
        except KhubError as error:
            error.message = self.without_secrets(error.message)
            raise
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
            if dry_run:
                _remove_empty(folder)

    def without_secrets(self, text: str) -> str:
        """Return a text about the source in which its address is shown without credentials."""
        own, shown = self.address.partition(":")[2], self.shown.partition(":")[2]
        return without_credentials(text.replace(self.address, self.shown).replace(own, shown))

    def _check(self, source: Any) -> None:
        for name in self.settings:
            if name not in source.SETTINGS:
                there = f"it has {', '.join(source.SETTINGS)}" if source.SETTINGS else "leave it out"
                raise SourceError(
                    f"the source {self.shown!r} has no setting {name!r}",
                    nearest(name, source.SETTINGS, there),
                    code="setting_invalid",
                )
        if getattr(source, "NEEDS_LEVEL", False) and self.level == "":
            raise SourceError(
                f"the source {self.shown!r} does not say who may read what",
                "give its documents a level (--set level=NAME), or null for everybody",
                code="setting_invalid",
            )


def _remove_left(folder: Path) -> None:
    """Remove what syncs have left that were killed."""
    for one in folder.glob(f"{SCRATCH}-*"):
        with contextlib.suppress(OSError):
            if time.time() - one.stat().st_mtime > LEFT_AFTER_S:
                shutil.rmtree(one, ignore_errors=True)


def _remove_empty(folder: Path) -> None:
    """Remove a folder, and those around it that are empty then: no hub has been made."""
    with contextlib.suppress(OSError):
        for one in (folder, *folder.parents[:3]):
            one.rmdir()
