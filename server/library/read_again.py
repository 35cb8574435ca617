"""Read the files of a collection again, though they have not changed: with readers that are better now."""

from collections.abc import Callable, Collection
from pathlib import Path

from components.catalog.catalog import open_catalog
from components.catalog.collections import DEFAULT_COLLECTION
from components.catalog.partly_opened import closed_among
from components.errors import CollectionError
from server.library.ingest import ingest_found, prepare_ingest
from server.library.ingest_result import IngestResult, Progress
from server.library.row_sources import file_of, file_of_row
from server.library.source_walk import collect_sources


def read_again(
    collection: str | None = None,
    types: Collection[str] = (),
    graph_name: str = "ingest",
    on_progress: Callable[[Progress], None] | None = None,
) -> IngestResult:
    """Ingest anew the files from which a collection has documents; chunks that stay the same keep their vectors.

    Rows of tables are not read again, nor files that are gone: their documents stay, and the result's `kept` names
    them. Files attached to mails are read with their mails. What was begun and stopped goes on with the next ingest.

    :param collection: its name; `default` if None.
    :param types: kinds of documents (`pdf`, `docx` …) that are read again; all if empty.
    :param graph_name: graph of kind `ingest` that reads them.
    :param on_progress: as for `ingest`.
    :raises CollectionError: if the collection has no document of one of the kinds.
    :raises KhubError: as `ingest` does.
    """
    name = collection or DEFAULT_COLLECTION
    graph = prepare_ingest(graph_name, name)
    documents = open_catalog().documents
    rows = [row for row in documents.of_collection(name) if file_of_row(row["source"]) is None]
    present = {str(row["doc_type"]) for row in rows}
    if missing := sorted(set(types) - present):
        held = ", ".join(sorted(present)) or "none"
        raise CollectionError(f"collection {name!r} has no document of type {missing[0]!r}", f"it has: {held}")
    wanted = [row for row in rows if not types or row["doc_type"] in types]
    closed = closed_among(open_catalog().database, [row["doc_id"] for row in wanted])
    wanted = [row for row in wanted if row["doc_id"] not in closed]
    files = {file_of(row["source"]) for row in wanted}
    there = {file for file in files if Path(file).is_file()}
    mails = [row for row in rows if row["source"] in there]
    again = [row["doc_id"] for row in (*wanted, *mails) if file_of(row["source"]) in there]
    documents.forget_recipes(again)
    result = ingest_found(graph, collect_sources(sorted(there)), name, on_progress=on_progress)
    result.kept += sorted(files - there)
    return result
