"""The files of a source on this machine: what is new or changed there is read, and nothing else."""

import contextlib
import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.source_items import SourceItem
from khub.components.errors import KhubError, SourceError
from khub.components.failed_file import FailedFile, failed_file
from khub.components.home import hub_home
from khub.components.private_files import private_folder
from khub.components.sources.address import shown_source
from khub.components.sources.source import Item, KnownItem, Notes, Source
from khub.components.text.file_names import LONGEST_NAME, safe_name
from khub.components.text.hidden_names import is_hidden
from khub.server.sources.asked_source import AskedSource

STAGE = "fetch"
FOLDER = ""
"""Whose a path is that others lie below."""
LONGEST_PATH = 3500
"""In bytes; systems allow 4,096, and files that are unfinished have longer names."""
logger = logging.getLogger(__name__)


@dataclass
class Mirror:
    """What was listed, and what lies here of it.

    :param files: id -> absolute path, of all that is there.
    :param new: names of what was not here before.
    :param changed: names of what is another now.
    :param gone: what was here and is not there any more; empty where not all could be listed.
    :param listed: ids of all that is there.
    :param fetched: how many were read.
    """

    notes: Notes = field(default_factory=Notes)
    files: dict[str, Path] = field(default_factory=dict)
    new: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    failed: list[FailedFile] = field(default_factory=list)
    gone: dict[str, SourceItem] = field(default_factory=dict)
    listed: set[str] = field(default_factory=set)
    fetched: int = 0


def update_mirror(
    asked: AskedSource, extensions: frozenset[str], told: Callable[[int, str], object], dry_run: bool = False
) -> Mirror:
    """List a source, and read what is new or changed.

    What was read stands in the catalog at once: who is interrupted goes on there.

    :param extensions: of what the graph reads.
    :param told: is given how many were listed, and the name of the one that is read.
    :param dry_run: whether nothing is read.
    :raises SourceError: if it cannot be listed; nothing is gone then.
    """
    catalog, mirror = open_catalog(), Mirror()
    there = catalog.database.exists()
    before = catalog.source_items.of_source(asked.key) if there else {}
    known = {name: _known(item) for name, item in before.items()}
    taken = _taken(before)
    with asked.opened(extensions, dry_run) as source:
        for number, item in enumerate(_each_once(source, asked, known, mirror.notes)):
            old = before.get(item.id)
            mirror.listed.add(item.id)
            told(number, item.name or (old.path if old else item.id))
            if old and item.version is not None and item.version == known[item.id].version:
                mirror.files[item.id] = known[item.id].path
                continue
            (mirror.changed if old else mirror.new).append(item.url or item.name or item.id)
            if dry_run:
                continue
            try:
                path = known[item.id].path if old and not item.name else _place(asked, item, taken)
                _read(source, asked, item, path, old, mirror)
            except SourceError as error:
                mirror.failed.append(failed_file(item.id, STAGE, error))
                if old is not None:  # what is kept of it stays, and is tried again
                    mirror.files[item.id] = hub_home() / old.path
    mirror.notes.incomplete = [asked.without_secrets(one) for one in mirror.notes.incomplete]
    mirror.notes.left_out = [{k: asked.without_secrets(v) for k, v in one.items()} for one in mirror.notes.left_out]
    if not mirror.notes.incomplete:
        mirror.gone = {name: item for name, item in before.items() if name not in mirror.listed}
    return mirror


def forget_gone(asked: AskedSource, gone: dict[str, SourceItem]) -> None:
    """Delete the files of what has gone, and forget it; its documents are gone already."""
    catalog = open_catalog()
    for item in gone.values():
        path = hub_home() / item.path
        catalog.files.drop(path)
        for folder in path.parents:
            if folder == asked.folder or not folder.is_relative_to(asked.folder):
                break
            with contextlib.suppress(FileNotFoundError):  # another machine has fetched it
                if any(folder.iterdir()):
                    break
                folder.rmdir()
    catalog.source_items.forget(asked.key, gone)


def _each_once(source: Source, asked: AskedSource, known: dict[str, KnownItem], notes: Notes) -> Iterator[Item]:
    seen: set[str] = set()
    for item in _listed(source, asked, known, notes):
        if item.id in seen:
            continue
        if len(seen) >= asked.max_items:
            notes.incomplete.append(f"there are more than {asked.max_items:,} items: set `max_items` higher")
            return
        seen.add(item.id)
        yield item


def _listed(source: Source, asked: AskedSource, known: dict[str, KnownItem], notes: Notes) -> Iterator[Item]:
    """Yield what a source lists; what it trips over, since anything can stand there, is told as of that source."""
    try:
        yield from source.items(known, notes)
    except KhubError:
        raise
    except Exception as error:
        raise _tripped(f"{asked.shown} cannot be listed", error) from error


def _tripped(what: str, error: Exception) -> SourceError:
    logger.exception("%s", what)
    return SourceError(f"{what} ({type(error).__name__}: {error})", "logs/app.jsonl says where: report it")


def _read(source: Source, asked: AskedSource, item: Item, path: Path, old: SourceItem | None, mirror: Mirror) -> None:
    """Fetch an item, and note it.

    :raises SourceError: if it cannot be had.
    """
    catalog = open_catalog()
    private_folder(path.parent)
    unfinished = path.with_name(f".{path.name[-LONGEST_NAME:]}.part")
    try:
        source.read(item, unfinished)
        unfinished.replace(path)
    except KhubError:
        raise
    except Exception as error:
        raise _tripped(f"{item.id} cannot be read", error) from error
    finally:
        unfinished.unlink(missing_ok=True)
    catalog.files.keep(path)
    catalog.source_states.add(asked.key, asked.collection, asked.shown)
    relative = path.relative_to(hub_home()).as_posix()
    shown = shown_source(item.url)
    catalog.source_items.put(asked.key, SourceItem(item.id, relative, item.version, shown, item.modified))
    if old is not None and old.path != relative:
        catalog.files.drop(hub_home() / old.path)
    mirror.files[item.id] = path
    mirror.fetched += 1


def _place(asked: AskedSource, item: Item, taken: dict[str, str]) -> Path:
    """Return where an item is kept: by its name, unless another one has that; then with a number."""
    *folders, name = [_part(part) for part in item.name.split("/") if part not in ("", ".", "..")] or ["item"]
    place = asked.folder
    for part in folders:
        place = _free(place, part, FOLDER, taken)
    place = _free(place, name, item.id, taken)
    if len(os.fsencode(place)) > LONGEST_PATH:
        raise SourceError(f"the path of {item.id[:80]!r} is too long for a disk", "give it a shorter one there")
    return place


def _free(folder: Path, name: str, owner: str, taken: dict[str, str]) -> Path:
    """Return a path in a folder that nobody else has, and note whose it is."""
    pure = PurePosixPath(name)
    for number in range(1, 100_000):
        path = folder / (f"{pure.stem}~{number}{pure.suffix}" if number > 1 else name)
        relative = path.relative_to(hub_home()).as_posix().casefold()
        if taken.setdefault(relative, owner) == owner:
            return path
    raise SourceError(f"too many items are called {name!r}", "leave some of them out")


def _taken(before: dict[str, SourceItem]) -> dict[str, str]:
    """Return whose each path is: an item's, or `FOLDER`."""
    taken = {item.path.casefold(): name for name, item in before.items()}
    for item in before.values():
        taken |= {str(folder).casefold(): FOLDER for folder in PurePosixPath(item.path).parents}
    return taken


def _part(part: str) -> str:
    try:
        name = safe_name(part)
    except SourceError:
        return "_"
    return f"_{name}" if is_hidden(name) else name


def _known(item: SourceItem) -> KnownItem:
    """Return what is known of an item; without a version where its file is not here, so that it is read again."""
    path = hub_home() / item.path
    return KnownItem(item.version if open_catalog().files.find(path) else None, item.url, path)
