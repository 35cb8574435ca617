"""What an ingest would do, without doing it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.collections import DEFAULT_COLLECTION
from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.documents import doc_id_of
from khub.components.catalog.source_record import SourceRecord
from khub.components.catalog.write_access import closed_sources, told_closed
from khub.components.converters.file_types import CONVERTED_TYPES, SAVED_ANEW
from khub.components.converters.markitdown_converter import MarkItDownConverter
from khub.components.converters.office.libreoffice import check_libreoffice
from khub.components.converters.row_converter import row_record
from khub.components.converters.source_reader import check_source
from khub.components.degraded_entry import DegradedEntry
from khub.components.errors import SourceEmptyError, SourceError
from khub.components.failed_file import FailedFile, failed_file
from khub.server.graphs.extensions import extensions_of, extensions_of_part
from khub.server.graphs.load import Graph
from khub.server.library.ingest import prepare_ingest
from khub.server.library.ingest_rows import GRAPH, read_files, renamed_columns, rows_gone
from khub.server.library.recipe import recipe_of
from khub.server.library.row_files import Columns
from khub.server.library.source_record import source_record
from khub.server.library.source_walk import Sources, collect_sources
from khub.server.library.sync import SyncPlan


@dataclass
class IngestPreview:
    """What would become of the files.

    :param is_new: the collection does not exist yet.
    :param new: sources that would come in for the first time.
    :param changed: `{source, why}` of those that would be read again.
    :param unchanged: sources that would be skipped.
    :param failed: those that cannot come in, as far as that shows without
        converting anything.
    :param passed_over: `{source, reason}` of files in folders whose kind is not read, and of what a `.gitignore` leaves
        out, 1,000 at most.
    :param passed_over_count: how many they are.
    :param ignored_count: how many of them a `.gitignore`, or their name, leaves out; a folder counts as one.
    :param links_left: symbolic links out of a named folder that would not be followed.
    :param removed: sources of documents that would be removed.
    :param kept: files of documents that are there although a walk of their folder leaves them out.
    :param degraded: `{stage, reason}` of what would be replaced by the next best thing.
    """

    collection: str
    graph: str
    is_new: bool
    new: list[str] = field(default_factory=list)
    changed: list[dict[str, str]] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    failed: list[FailedFile] = field(default_factory=list)
    passed_over: list[dict[str, str]] = field(default_factory=list)
    passed_over_count: int = 0
    ignored_count: int = 0
    links_left: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    degraded: list[DegradedEntry] = field(default_factory=list)


def preview_ingest(
    paths: Sequence[str],
    collection: str | None = None,
    graph_name: str = "ingest",
    meta: dict[str, Any] | None = None,
    with_ignored: bool = False,
) -> IngestPreview:
    """Say what `ingest` would do with the same arguments; nothing is written.

    :raises KhubError: as `ingest` does.
    """
    name = collection or DEFAULT_COLLECTION
    graph = prepare_ingest(graph_name, name, meta)
    return preview_found(graph, collect_sources(paths, with_ignored, extensions_of(graph)), name)


def preview_found(graph: Graph, found: Sources, collection: str) -> IngestPreview:
    """Say what would become of files that have been looked for already; nothing is written.

    :param graph: from `prepare_ingest`.
    """
    preview = IngestPreview(
        collection,
        graph.name,
        False,
        failed=list(found.failed),
        passed_over=found.passed_over,
        passed_over_count=found.passed_over_count,
        ignored_count=found.ignored_count,
        links_left=found.links_left,
    )
    records = []
    for path in found.files:
        try:
            records.append(source_record(path, collection))
        except SourceError as error:
            _fail(preview, path, "check", error)
    _compare(preview, graph, records, lambda record: _file_error(graph, record))
    return preview


def preview_sync(plan: SyncPlan) -> IngestPreview:
    """Say what a sync would do; nothing is written."""
    preview = preview_found(plan.graph, plan.found, plan.collection)
    preview.removed = [row["source"] for row in plan.removals]
    preview.kept = plan.kept
    return preview


def preview_sent(
    graph: Graph, parts: Sequence[tuple[Path, str]], places: Sequence[str], collection: str
) -> IngestPreview:
    """Say what would become of files that were sent; nothing is written but for their own folder.

    :param graph: from `prepare_ingest`.
    :param parts: where each lies, and its name; they are moved within their folder.
    :param places: absolute paths that they would have.
    """
    preview = IngestPreview(collection, graph.name, False)
    lying, records = dict[str, str](), list[SourceRecord]()
    for (part, name), place in zip(parts, places, strict=True):
        folder = part.with_suffix(".named")
        folder.mkdir()
        lying[place] = str(part.rename(folder / Path(name).name))  # the kind of a file shows in its name
        try:
            found = source_record(lying[place], collection)
            records.append({**found, "path": place, "doc_id": doc_id_of(collection, place)})
        except SourceError as error:
            _fail(preview, place, "check", error)
    _compare(preview, graph, records, lambda record: _file_error(graph, {**record, "path": lying[record["path"]]}))
    return preview


def preview_rows(
    paths: Sequence[str],
    collection: str | None = None,
    graph_name: str = GRAPH,
    meta: dict[str, Any] | None = None,
    columns: Columns | None = None,
    prune: bool = False,
) -> IngestPreview:
    """Say what `ingest_rows` would do with the same arguments; nothing is written.

    :raises KhubError: as `ingest_rows` does.
    """
    name = collection or DEFAULT_COLLECTION
    graph = prepare_ingest(graph_name, name, meta, rows=True)
    preview = IngestPreview(name, graph.name, False)
    files = read_files(paths, columns or Columns(), preview.failed)
    preview.degraded = renamed_columns(files)
    rows = {row["path"]: row for file in files for row in file.rows}

    def error_of(record: SourceRecord) -> SourceError | None:
        if rows[record["path"]]["text"].strip():
            return None
        return SourceEmptyError("the row has no text", "leave it out, or name the column of the text")

    _compare(preview, graph, [cast(SourceRecord, row_record(name, row)) for row in rows.values()], error_of)
    if prune:
        preview.removed = [row["source"] for row in rows_gone([file for file in files if not file.failed], name)]
    return preview


def _compare(
    preview: IngestPreview,
    graph: Graph,
    records: Sequence[SourceRecord],
    error_of: Callable[[SourceRecord], SourceError | None],
) -> None:
    catalog, recipe = open_catalog(), recipe_of(graph.pipeline)
    there = catalog.database.exists()  # asking it would make it
    closed = set(closed_sources(catalog.database, preview.collection, [record["path"] for record in records]))
    preview.failed += [told_closed(record["path"]) for record in records if record["path"] in closed]
    records = [record for record in records if record["path"] not in closed]
    preview.is_new = not (there and catalog.collections.exists(preview.collection))
    rows = [] if preview.is_new else catalog.documents.of_collection(preview.collection)
    documents = {row["doc_id"]: row for row in rows if row["status"] != "pending"}
    known = {} if preview.is_new else catalog.documents.known([record["doc_id"] for record in records])
    forced = any(getattr(part, "force", False) is True for _, part in graph.pipeline.walk())
    for record in records:
        source, document = record["path"], documents.get(record["doc_id"])
        why = _why(document, known.get(record["doc_id"]), record["sha256"], recipe, forced) if document else None
        if document and why is None:
            preview.unchanged.append(source)
        elif error := error_of(record):
            _fail(preview, source, "convert", error)
        elif why is None:
            preview.new.append(source)
        else:
            preview.changed.append({"source": source, "why": why})


def _why(
    document: DocumentRow,
    known: tuple[str, str | None, str | None] | None,
    sha256: str,
    recipe: str,
    forced: bool,
) -> str | None:
    """Say why a document would be read again; None if it would not."""
    if document["sha256"] != sha256 and document["sha256"] is not None:
        return "its content is another"
    if known is None:
        return "failed before" if document["error"] else "a part of it was not read the last time"
    if known != ("ready", sha256, recipe):
        return "the graph's stages are others"
    return "the graph takes all files for changed" if forced else None


def _file_error(graph: Graph, record: SourceRecord) -> SourceError | None:
    """Return why a file cannot come in, as far as that shows without starting a converter's process."""
    path = Path(record["path"])
    extension, parts = path.suffix.lower(), [part for _, part in graph.pipeline.walk()]
    readers = [part for part in parts if extension in extensions_of_part(part)]
    for part in parts:
        if not isinstance(part, MarkItDownConverter) or (readers and part not in readers):
            continue
        by_plugin = extension in part.plugin_extensions
        recorded = extension in part.recordings.extensions and not by_plugin
        if not recorded and extension not in CONVERTED_TYPES and not by_plugin:
            for failure in part.run(sources=[{**record}])["failed"]:
                return SourceError(failure["error"], failure["remedy"])
            continue
        try:
            if recorded:
                part.recordings.check(path)
                continue
            check_source(path, part.max_mb)
            if extension in SAVED_ANEW and not by_plugin:
                check_libreoffice(path.name)
        except SourceError as error:
            return error
    return None


def _fail(preview: IngestPreview, source: str, stage: str, error: SourceError) -> None:
    preview.failed.append(failed_file(source, stage, error))
