"""Read the files of a collection again, though they have not changed: with readers that are better now."""

from collections.abc import Callable, Collection
from pathlib import Path, PurePath

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.partly_opened import closed_among
from khub.components.errors import CollectionError
from khub.server.library.ingest import ingest_found, prepare_ingest
from khub.server.library.ingest_result import IngestResult, Progress
from khub.server.library.row_sources import file_of, file_of_row
from khub.server.library.source_walk import collect_sources


def read_again(
    collection: str | None = None,
    types: Collection[str] = (),
    graph_name: str = "ingest",
    on_progress: Callable[[Progress], None] | None = None,
) -> IngestResult:
    """Ingest anew the files from which a collection has documents; chunks that stay the same keep their vectors.

    Rows of tables are not read again, nor files that are gone: their documents stay, and the result's `kept` names
    them. Files attached to mails are read with their mails. What was begun and stopped goes on with the next ingest.

    :param collection: its name; None for the only one.
    :param types: kinds of documents, or endings of their files (`pdf`, `doc` …), that are read again; all if empty.
    :param graph_name: graph of kind `ingest` that reads them.
    :param on_progress: as for `ingest`.
    :raises CollectionError: if there is no such collection, or none was named and there are several, or it has no
        document of one of the kinds.
    :raises KhubError: as `ingest` does.
    """
    name = open_catalog().collections.resolve(collection)
    graph = prepare_ingest(graph_name, name)
    documents = open_catalog().documents
    wanted_types = {kind.lower().lstrip(".") for kind in types}
    rows = [row for row in documents.of_collection(name) if file_of_row(row["source"]) is None]
    present = {kind for row in rows for kind in _kinds(row)}
    if missing := sorted(wanted_types - present):
        held = ", ".join(sorted(present)) or "none"
        raise CollectionError(f"collection {name!r} has no document of type {missing[0]!r}", f"it has: {held}")
    wanted = [row for row in rows if not types or wanted_types & _kinds(row)]
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


def _kinds(row: DocumentRow) -> set[str]:
    return {str(row["doc_type"]), PurePath(row["source"]).suffix.lower().lstrip(".")} - {""}
