"""Moves of documents to another collection that somebody asks for: what is checked before there is a job."""

from collections.abc import Sequence

from khub.components.catalog.access import ACCESS_FIELD, levels_key
from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.job_row import JobRow
from khub.components.catalog.kept_path import kept_path
from khub.components.catalog.parts import file_of_part, shown_name
from khub.components.catalog.write_access import refuse_closed
from khub.components.errors import QueryError
from khub.server.http.asked_ingests import file_to_read
from khub.server.jobs.moves import given_to
from khub.server.jobs.next_job import are_few
from khub.server.jobs.service_jobs import add_job
from khub.server.jobs.synced_files import is_synced
from khub.server.library.ingest_request import IngestRequest
from khub.server.library.moved_file import moved_path, refuse_taken


def ask_to_move(rows: Sequence[DocumentRow], target: str, graph: str) -> JobRow:
    """Add a job that moves documents to another collection; return what is known of it.

    :param rows: of documents that the caller may change.
    :param target: name of the collection; it may be new.
    :param graph: of kind `ingest`, through which their files go.
    :raises KhubError: if one cannot be moved, with the reason; then there is no job.
    """
    places: dict[str, str] = {}
    for row in rows:
        IngestRequest(target, graph, given_to(row)).check()
        place = _place(row, target)
        if place in places:
            raise QueryError(f"two of the documents are called {shown_name(place)!r}", "move one after the other")
        places[place] = row["doc_id"]
    return add_job(target, graph, kind="move", paths=[*places], few=are_few(places), meta={}, moved=[*places.values()])


def _place(row: DocumentRow, target: str) -> str:
    """Return where the file of a document will lie."""
    name, source = shown_name(row["source"]), row["source"]
    if row["collection"] == target:
        raise QueryError(f"{name!r} is in collection {target!r} already", "leave it out")
    if file_of_part(source) is not None:
        raise QueryError(f"{name!r} belongs to another file", "move that one")
    if kept_path(source) is not None or is_synced(source, row["collection"]):
        raise QueryError(f"{name!r} follows a source", "sync the source into the other collection")
    path = file_to_read(row)
    attached = {part["doc_id"] for part in open_catalog().documents.parts_of([row["doc_id"]])}
    levels = levels_key(row["meta"].get(ACCESS_FIELD))
    rows = [one for one in open_catalog().documents.of_collection(row["collection"]) if one["doc_id"] in attached]
    if any(levels_key(one["meta"].get(ACCESS_FIELD)) != levels for one in rows):
        raise QueryError(f"files attached to {name!r} have access levels of their own", "give them those of the mail")
    place = moved_path(path, row["collection"], target)
    refuse_closed(open_catalog().database, target, [place])  # first: nobody tries contents on a file that is closed
    refuse_taken(path, place)
    return place
