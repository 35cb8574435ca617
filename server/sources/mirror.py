"""The files of a source on this machine: what is new or changed there is read, and nothing else."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.source_items import SourceItem
from khub.components.errors import SourceError
from khub.components.failed_file import FailedFile, failed_file
from khub.components.home import hub_home
from khub.components.private_files import private_folder
from khub.components.sources.source import Item, KnownItem, Notes, Source
from khub.components.text.file_names import LONGEST_NAME, safe_name
from khub.components.text.hidden_names import is_hidden
from khub.server.sources.asked_source import AskedSource

STAGE = "fetch"


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
    taken = {item.path.casefold(): name for name, item in before.items()}
    with asked.opened(extensions, dry_run) as source:
        for number, item in enumerate(_each_once(source, known, mirror.notes, asked.max_items)):
            old = before.get(item.id)
            mirror.listed.add(item.id)
            told(number, item.name or (old.path if old else item.id))
            if old and item.version is not None and item.version == old.version and _lies_here(known[item.id].path):
                mirror.files[item.id] = known[item.id].path
                continue
            (mirror.changed if old else mirror.new).append(item.url or item.name or item.id)
            if dry_run:
                continue
            path = known[item.id].path if old and not item.name else _place(asked, item, taken)
            _read(source, asked, item, path, old, mirror)
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
            if folder == asked.folder or not folder.is_relative_to(asked.folder) or any(folder.iterdir()):
                break
            folder.rmdir()
    catalog.source_items.forget(asked.key, gone)


def _each_once(source: Source, known: dict[str, KnownItem], notes: Notes, most: int) -> Iterator[Item]:
    seen: set[str] = set()
    for item in source.items(known, notes):
        if item.id in seen:
            continue
        if len(seen) >= most:
            notes.incomplete.append(f"there are more than {most:,} items: set `max_items` higher")
            return
        seen.add(item.id)
        yield item


def _read(source: Source, asked: AskedSource, item: Item, path: Path, old: SourceItem | None, mirror: Mirror) -> None:
    catalog = open_catalog()
    private_folder(path.parent)
    unfinished = path.with_name(f".{path.name[-LONGEST_NAME:]}.part")
    try:
        source.read(item, unfinished)
        unfinished.replace(path)
    except SourceError as error:
        mirror.failed.append(failed_file(item.id, STAGE, error))
        if old is not None:  # what is kept of it stays, and is tried again
            mirror.files[item.id] = hub_home() / old.path
        return
    finally:
        unfinished.unlink(missing_ok=True)
    catalog.files.keep(path)
    catalog.source_states.add(asked.key, asked.collection, asked.shown)
    relative = path.relative_to(hub_home()).as_posix()
    catalog.source_items.put(asked.key, SourceItem(item.id, relative, item.version, item.url, item.modified))
    if old is not None and old.path != relative:
        catalog.files.drop(hub_home() / old.path)
    mirror.files[item.id] = path
    mirror.fetched += 1


def _place(asked: AskedSource, item: Item, taken: dict[str, str]) -> Path:
    """Return where an item is kept: by its name, unless another one has that; then with a number."""
    parts = [_part(part) for part in item.name.split("/") if part not in ("", ".", "..")] or ["item"]
    folder, name = asked.folder.joinpath(*parts[:-1]), PurePosixPath(parts[-1])
    for number in range(1, 100_000):
        path = folder / (f"{name.stem}~{number}{name.suffix}" if number > 1 else name.name)
        relative = path.relative_to(hub_home()).as_posix().casefold()
        if taken.get(relative, item.id) == item.id:
            taken[relative] = item.id
            return path
    raise SourceError(f"too many items are called {item.name!r}", "leave some of them out")


def _part(part: str) -> str:
    try:
        name = safe_name(part)
    except SourceError:
        return "_"
    return f"_{name}" if is_hidden(name) else name


def _known(item: SourceItem) -> KnownItem:
    return KnownItem(item.version, item.url, hub_home() / item.path)


def _lies_here(path: Path) -> bool:
    """Say whether the file is here, perhaps from another machine."""
    return open_catalog().files.find(path)
