"""Make a collection follow a source: what is there comes in, what has gone goes."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePath

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.partly_opened import closed_among
from khub.components.catalog.source_items import SourceItem
from khub.components.catalog.source_states import WAITS_FOR
from khub.components.errors import KhubError
from khub.components.home import hub_home
from khub.components.secret_pairs import SecretError
from khub.server.graphs.extensions import extensions_of
from khub.server.library.ingest import ingest_found, prepare_ingest
from khub.server.library.ingest_preview import IngestPreview
from khub.server.library.ingest_result import IngestResult, Progress
from khub.server.library.row_sources import file_of
from khub.server.library.source_walk import MOST_NAMED, Sources
from khub.server.library.sync import SyncPlan, remove_planned, renamed_among
from khub.server.sources.asked_source import AskedSource
from khub.server.sources.mirror import Mirror, forget_gone, update_mirror


@dataclass(frozen=True)
class SourcePlan:
    """What was fetched of a source, and what it means for its collection.

    :param sync: the same as for a folder; documents that would be lost in doubt can be kept.
    :param mirror: what was listed.
    """

    asked: AskedSource
    sync: SyncPlan
    mirror: Mirror


def plan_source(asked: AskedSource, on_progress: Callable[[Progress], None] | None = None) -> SourcePlan:
    """Fetch what is new or changed at a source; no document is written or removed.

    :param on_progress: as for `ingest`; it is told of each item that is read.
    :raises SourceError: if the source cannot be listed.
    :raises KhubError: as `ingest` does.
    """
    catalog = open_catalog()

    def told(count: int, name: str) -> None:
        if on_progress is not None:
            on_progress(Progress(count, 0, 0, 0, 0, (name,)))

    try:
        graph = prepare_ingest(asked.graph, asked.collection, asked.meta)
        mirror = update_mirror(asked, frozenset(extensions_of(graph)), told)
    except KhubError as error:
        pairs = error.pairs if isinstance(error, SecretError) else ()
        noted = {"failed_at": _now(), "problem": str(error), "incomplete": [], WAITS_FOR: pairs}
        catalog.source_states.note(asked.key, **noted)
        raise
    rows = [row for row in catalog.documents.of_collection(asked.collection) if _is_of(row["source"], asked)]
    gone = {PurePath(hub_home() / item.path) for item in mirror.gone.values()}
    removals = [row for row in rows if PurePath(file_of(row["source"])) in gone or _was_elsewhere(row)]
    closed = closed_among(catalog.database, [row["doc_id"] for row in removals])
    removals = [row for row in removals if row["doc_id"] not in closed]  # those are not the caller's
    mirror.gone = _without(mirror.gone, rows, closed)
    found = Sources([str(path) for path in mirror.files.values()], failed=list(mirror.failed))
    found.passed_over, found.passed_over_count = mirror.notes.left_out[:MOST_NAMED], len(mirror.notes.left_out)
    renamed = renamed_among(removals, found, {row["source"] for row in rows}, asked.collection)
    count = len([row for row in rows if file_of(row["source"]) == row["source"]])
    sync = SyncPlan(asked.shown, asked.collection, graph, found, count, removals, renamed, [], [])
    if sync.drastic:  # who asks at the command may say no
        catalog.source_states.note(asked.key, problem=_doubt(asked, sync.lost))
    return SourcePlan(asked, sync, mirror)


def apply_source(
    plan: SourcePlan, on_progress: Callable[[Progress], None] | None = None, drastic: bool = False
) -> IngestResult:
    """Ingest what was fetched, and remove what has gone.

    :param on_progress: as for `ingest`.
    :param drastic: whether documents go, too, where that is more than half of them: a source that lists next to
        nothing may be another one now, or only think that the key has expired.
    """
    asked, sync, mirror = plan.asked, plan.sync, plan.mirror
    if sync.drastic and not drastic:
        stay = {PurePath(file_of(row["source"])) for row in sync.removals}
        gone = {name: one for name, one in mirror.gone.items() if PurePath(hub_home() / one.path) not in stay}
        kept, sync = sync.lost, replace(sync, removals=[], renamed=[])
    else:
        gone, kept = mirror.gone, 0
    result = ingest_found(sync.graph, sync.found, asked.collection, asked.meta, on_progress)
    remove_planned(sync, result)
    forget_gone(asked, gone)
    open_catalog().source_states.note(
        asked.key, ended_at=_now(), problem=_doubt(asked, kept), incomplete=mirror.notes.incomplete,
        items=len(mirror.files), fetched=mirror.fetched, written=len(result.written), removed=len(result.removed),
        failed=len(result.failed), left_out=len(mirror.notes.left_out), **{WAITS_FOR: []},
    )  # fmt: skip
    return result


def preview_source(asked: AskedSource) -> IngestPreview:
    """Say what a sync would do; of the source only the list is fetched, and nothing is written.

    :raises KhubError: as `plan_source` does.
    """
    graph = prepare_ingest(asked.graph, asked.collection, asked.meta)
    catalog = open_catalog()
    mirror = update_mirror(asked, frozenset(extensions_of(graph)), lambda *_: None, dry_run=True)
    is_new = not (catalog.database.exists() and catalog.collections.exists(asked.collection))
    preview = IngestPreview(asked.collection, graph.name, is_new, new=mirror.new)
    preview.changed = [{"source": name, "why": "it is another at the source"} for name in mirror.changed]
    preview.unchanged = [str(path) for path in mirror.files.values()]
    preview.removed = [item.url or name for name, item in mirror.gone.items()]
    preview.passed_over = mirror.notes.left_out[:MOST_NAMED]
    preview.passed_over_count = len(mirror.notes.left_out)
    return preview


def _is_of(source: str, asked: AskedSource) -> bool:
    return PurePath(file_of(source)).is_relative_to(asked.folder)


def _was_elsewhere(row: DocumentRow) -> bool:
    """Say whether a document is of an item that has moved since: its file is gone, and no item has that place."""
    catalog, file = open_catalog(), file_of(row["source"])
    return catalog.source_items.address_of(file) is None and not catalog.files.find(Path(file))


def _without(gone: dict[str, SourceItem], rows: list[DocumentRow], closed: Collection[str]) -> dict[str, SourceItem]:
    """Return what is gone without what has documents that stay."""
    stay = {file_of(row["source"]) for row in rows if row["doc_id"] in closed}
    return {name: item for name, item in gone.items() if str(hub_home() / item.path) not in stay}


def _doubt(asked: AskedSource, kept: int) -> str:
    if not kept:
        return ""
    what = f"{kept:,} documents are gone at the source and kept here, since that is more than half"
    return f"{what}: khub sync {asked.shown} --collection {asked.collection} --yes"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
