"""Ingest the rows of files, each as a document of its own."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.collections import DEFAULT_COLLECTION
from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.write_access import closed_sources, told_closed
from khub.components.degraded_entry import DegradedEntry
from khub.components.errors import KhubError
from khub.components.failed_file import FailedFile, failed_file
from khub.components.model_servers.token_limit import one_run
from khub.server.graphs.load import Graph
from khub.server.graphs.run import run_graph
from khub.server.library.collections import delete_documents
from khub.server.library.ingest import add_outputs, give_level, prepare_ingest, progress_of, record_failures
from khub.server.library.ingest_result import IngestResult, Progress
from khub.server.library.recipe import recipe_of
from khub.server.library.row_files import RENAMED, Columns, RowFile, read_rows
from khub.server.library.row_sources import file_of_row
from khub.server.library.source_walk import absolute

BATCH_ROWS = 1000
GRAPH = "ingest_rows"


@one_run()
def ingest_rows(
    paths: Sequence[str],
    collection: str | None = None,
    graph_name: str | Graph = GRAPH,
    meta: dict[str, Any] | None = None,
    columns: Columns | None = None,
    prune: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
) -> IngestResult:
    """Ingest the rows of files; a row that cannot be used is a failure in the result and stops nothing else.

    :param paths: files of JSON lines or CSV, see `read_rows`.
    :param collection: its name; `default` if None. It is made if it is new and something comes in.
    :param graph_name: graph of kind `ingest` that takes rows.
    :param meta: metadata for every row of this call.
    :param columns: which columns hold what.
    :param prune: remove the documents of rows that are no longer in these files; never those of a file of which
        anything could not be read.
    :param on_progress: called before the first batch and after each; it counts rows.
    :returns: as `ingest` does; `source` is `FILE#row=ID`.
    :raises KhubError: as `ingest` does.
    """
    started = time.perf_counter()
    name = collection or DEFAULT_COLLECTION
    graph = prepare_ingest(graph_name, name, meta, rows=True)
    result = IngestResult(name, graph.name)
    files = read_files(paths, columns or Columns(), result.failed)
    result.degraded = renamed_columns(files)
    rows = [row for file in files for row in file.rows]
    closed = closed_sources(open_catalog().database, name, [row["path"] for row in rows])
    inputs = {"collection": name, "recipe": recipe_of(graph.pipeline), "meta": meta}
    was_there, unread = open_catalog().collections.exists(name), len(result.failed)
    if closed:
        result.failed += map(told_closed, closed)
        rows = [row for row in rows if row["path"] not in set(closed)]
    for start in range(0, max(len(rows), 1), BATCH_ROWS):
        if on_progress is not None:
            on_progress(progress_of(result, len(rows), len(rows) - start))
        if rows:
            outputs = run_graph(graph, {**inputs, "sources": rows[start : start + BATCH_ROWS]}).outputs
            add_outputs(result, outputs)
            give_level(name, outputs["report"]["failed"], meta)
    if on_progress is not None:
        on_progress(progress_of(result, len(rows), 0))
    if not was_there:
        record_failures(name, result.failed[unread:], meta)
    if prune:
        gone = rows_gone([file for file in files if not file.failed], name)
        delete_documents([row["doc_id"] for row in gone], name)
        result.removed = [row["source"] for row in gone]
    result.seconds = time.perf_counter() - started
    return result


def read_files(paths: Sequence[str], columns: Columns, failed: list[FailedFile]) -> list[RowFile]:
    """Read files of rows, each once; what cannot be read is added to `failed`."""
    files = []
    for path in dict.fromkeys(absolute(name) for name in paths):
        try:
            file = read_rows(path, columns)
        except KhubError as error:
            failed.append(failed_file(str(path), "check", error))
            continue
        failed += file.failed
        files.append(file)
    return files


def renamed_columns(files: Sequence[RowFile]) -> list[DegradedEntry]:
    """Return `{stage, reason}` for each column whose name is the hub's own, so that it is kept under another."""
    return [
        {"stage": "columns", "reason": f"column {name!r} of {file.path!r} is kept as {RENAMED + name!r}"}
        for file in files
        for name in file.renamed
    ]


def rows_gone(files: Sequence[RowFile], collection: str) -> list[DocumentRow]:
    """Return the documents of rows that are no longer in their files."""
    catalog = open_catalog()
    there = {file.path: {row["path"] for row in file.rows} for file in files}
    if not catalog.database.exists():
        return []
    return [
        document
        for document in catalog.documents.of_collection(collection)
        if (path := file_of_row(document["source"])) in there and document["source"] not in there[path]
    ]
