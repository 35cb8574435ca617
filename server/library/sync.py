"""Make a collection match a folder: what is new or changed comes in, what is gone goes."""

import os
import stat
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.collections import DEFAULT_COLLECTION
from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.partly_opened import closed_among
from khub.components.catalog.parts import file_of_part
from khub.components.errors import SourceError
from khub.components.home import hub_home
from khub.server.graphs.extensions import extensions_of
from khub.server.graphs.load import Graph
from khub.server.library.collections import delete_documents
from khub.server.library.emptied_folders import emptied_folders
from khub.server.library.ingest import ingest_found, prepare_ingest
from khub.server.library.ingest_result import IngestResult, Progress
from khub.server.library.row_sources import file_of
from khub.server.library.source_record import source_record
from khub.server.library.source_walk import Sources, absolute, collect_sources


@dataclass(frozen=True)
class SyncPlan:
    """What a sync is about to do.

    :param folder: absolute.
    :param found: the files in it, and those of `kept` that lie in it themselves.
    :param documents: how many documents the collection has from this folder, not counting what is attached to mails.
    :param removals: catalog rows of those that are to be removed: their file is gone.
    :param renamed: `{from, to}` of removals whose content stands in the folder under a new name.
    :param kept: files of documents that are there although a walk of the folder leaves them out.
    :param emptied: subfolders of whose documents not one file is left: they may be shares that are not mounted.
    """

    folder: str
    collection: str
    graph: Graph
    found: Sources
    documents: int
    removals: list[DocumentRow]
    renamed: list[dict[str, str]]
    kept: list[str]
    emptied: list[str]

    @property
    def lost(self) -> int:
        """How many documents would be removed and do not come back under another name."""
        return len(_lost(self.removals, self.renamed))

    @property
    def drastic(self) -> bool:
        """Whether more than half of the documents would be lost: the folder may be the wrong one, or not mounted."""
        return self.lost * 2 > self.documents

    @property
    def doubtful(self) -> bool:
        """Whether documents would be lost that go only where somebody agrees."""
        return self.drastic or bool(self.emptied)

    def without_doubtful(self) -> "SyncPlan":
        """Return the plan without what goes only where somebody agrees."""
        lost = [PurePath(file_of(row["source"])) for row in _lost(self.removals, self.renamed)]
        stay = {file for file in lost if self.drastic or any(map(file.is_relative_to, self.emptied))}
        removals = [row for row in self.removals if PurePath(file_of(row["source"])) not in stay]
        return replace(self, removals=removals)


def plan_sync(
    folder: str, collection: str | None = None, graph_name: str = "ingest", with_ignored: bool = False
) -> SyncPlan:
    """Compare a folder with a collection; nothing is written.

    :param folder: its path.
    :param collection: its name; `default` if None.
    :param graph_name: graph of kind `ingest` for new and changed files.
    :param with_ignored: whether what a `.gitignore` leaves out comes in, too.
    :raises SourceError: if the folder does not exist, is a file, or cannot be entered.
    :raises KhubError: as `ingest` does.
    """
    name = collection or DEFAULT_COLLECTION
    root = checked_folder(folder)
    graph = prepare_ingest(graph_name, name)
    found = collect_sources([str(root)], with_ignored, extensions_of(graph))
    for failure in found.failed:
        if failure["source"] == str(root):
            raise SourceError(failure["error"], failure["remedy"])
    catalog = open_catalog()
    there = catalog.database.exists()
    rows = catalog.documents.of_collection(name) if there else []
    inside = [row for row in rows if PurePath(file_of(row["source"])).is_relative_to(root)]
    closed = closed_among(catalog.database, [row["doc_id"] for row in inside]) if there else set()
    removals = [row for row in _gone(inside, found) if row["doc_id"] not in closed]  # those are not the caller's
    renamed = renamed_among(removals, found, {row["source"] for row in rows}, name)
    lost = [file_of(row["source"]) for row in _lost(removals, renamed) if row["status"] != "failed"]
    gone = {row["doc_id"] for row in removals}
    left = [row for row in _on_their_own(inside) if row["doc_id"] not in gone]
    alive = [*found.files, *(file_of(row["source"]) for row in left), *(one["from"] for one in renamed)]
    emptied = emptied_folders(root, lost, alive)
    offered = {PurePath(file) for file in found.files}
    kept = [row for row in left if PurePath(file_of(row["source"])) not in offered]
    again = [row["source"] for row in kept if row["status"] != "failed" and _may_be_read(row["source"], root)]
    names = list(dict.fromkeys(file_of(row["source"]) for row in kept))
    found = replace(found.without_passed_over(names), files=[*found.files, *again])
    return SyncPlan(str(root), name, graph, found, len(_on_their_own(inside)), removals, renamed, names, emptied)


def apply_sync(
    plan: SyncPlan,
    on_progress: Callable[[Progress], None] | None = None,
    only: Collection[str] | None = None,
) -> IngestResult:
    """Do what was planned: files come in first, so that those renamed find their vectors; then the others go.

    :param on_progress: as for `ingest`.
    :param only: files of the folder that are looked at; the others count as unchanged. All if None.
    :returns: as `ingest` does, with the removed documents.
    """
    found, skipped = plan.found, []
    if only is not None:
        skipped = [file for file in found.files if file not in only]
        found = replace(found, files=[file for file in found.files if file in only])
    result = ingest_found(plan.graph, found, plan.collection, on_progress=on_progress)
    result.unchanged += skipped
    result.kept += plan.kept
    remove_planned(plan, result)
    return result


def remove_planned(plan: SyncPlan, result: IngestResult) -> None:
    """Delete the documents that are gone, and say so in the result."""
    delete_documents([row["doc_id"] for row in plan.removals], plan.collection)
    result.removed += [row["source"] for row in plan.removals]


def checked_folder(name: str) -> Path:
    """Return a folder's absolute path.

    :raises SourceError: if it does not exist, or is a file.
    """
    folder = absolute(name)
    if not folder.exists():
        raise SourceError(f"the folder {str(folder)!r} does not exist", "check the spelling", code="source_missing")
    if not folder.is_dir():
        raise SourceError(
            f"{str(folder)!r} is a file, not a folder", "ingest it: khub ingest FILE", code="source_kind_wrong"
        )
    return folder


def _gone(rows: list[DocumentRow], found: Sources) -> list[DocumentRow]:
    """Return the rows whose file is gone from the disk, but for those in a place into which nobody could look."""
    offered = {PurePath(file) for file in found.files}
    spelled = {file.casefold(): file for file in found.files}
    unknown = [PurePath(failure["source"]) for failure in found.failed]

    def is_gone(file: str) -> bool:
        if PurePath(file) in offered:
            return False
        return not _is_there(file, spelled.get(file.casefold())) and not any(
            PurePath(file).is_relative_to(place) for place in unknown
        )

    return [row for row in rows if is_gone(file_of(row["source"]))]


def _is_there(file: str, other: str | None) -> bool:
    """Say whether a file is on the disk, as far as that can be known; a link is one, wherever it leads.

    :param other: a file that is there, whose name differs in its case alone.
    """
    try:
        if other is not None and Path(other).samefile(file):  # a disk that takes both for one: it was renamed
            return False
        return not stat.S_ISDIR(os.lstat(file).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True


def _may_be_read(file: str, root: Path) -> bool:
    """Say whether a file that the walk leaves out may be read again: it lies in the folder, and no link leads out."""
    if file_of(file) != file or Path(file).is_relative_to(hub_home()):
        return False
    try:
        return Path(file).is_file() and Path(file).resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):
        return False


def _lost(removals: list[DocumentRow], renamed: list[dict[str, str]]) -> list[DocumentRow]:
    """Return the removed documents that do not come back under another name."""
    back = {one["from"] for one in renamed}
    return [row for row in _on_their_own(removals) if row["source"] not in back]


def _on_their_own(rows: list[DocumentRow]) -> list[DocumentRow]:
    """Return those that are not attached to a mail: these come and go with it."""
    return [row for row in rows if file_of_part(row["source"]) is None]


def renamed_among(
    removals: list[DocumentRow], found: Sources, known: set[str], collection: str
) -> list[dict[str, str]]:
    """Find removed documents among the new files, by their content; only files of an equal size are read.

    :param known: sources of all documents.
    """
    removals, waiting = _on_their_own(removals), dict[str, list[str]]()
    for row in removals:
        if row["sha256"]:
            waiting.setdefault(row["sha256"], []).append(row["source"])
    sizes = {row["size"] for row in removals}
    renamed = []
    for file in found.files:
        try:
            if file in known or Path(file).stat().st_size not in sizes:
                continue
            old = waiting.get(source_record(file, collection)["sha256"])
        except (OSError, SourceError):
            continue  # ingesting it will say what is wrong
        if old:
            renamed.append({"from": old.pop(), "to": file})
    return renamed
