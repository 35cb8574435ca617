"""The documents and collections of a service, as the catalog of a hub has them."""

from typing import Any, cast
from urllib.parse import quote

from khub.components.catalog.chunk_row import ChunkRow
from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.documents import DEGRADED_STAGES, meant_by
from khub.components.catalog.parts import file_of_part, shown_name
from khub.components.text.file_names import safe_name
from khub.server.library.from_address import is_address, row_from, rows_from
from khub.server.library.row_sources import file_of_row
from khub.server.reads.collection_counts import CollectionCounts
from khub.server.remote.service import Service

LONGEST_TEXT = 500
COLUMNS = (
    "doc_id", "collection", "source", "status", "doc_type", "title", "language", "pages", "chunks", "size", "sha256",
)  # fmt: skip
COUNTS = ("name", "documents", "failed", "chunks")


def collections(service: Service) -> list[CollectionCounts]:
    """Return name and counts of every collection."""
    rows = service.ask("GET", "/collections", "collections")["collections"]
    counts = [cast(CollectionCounts, {key: row.get(key, 0) for key in COUNTS}) for row in rows]
    return [{**row, "documents": row["documents"] + row["failed"]} for row in counts]  # those that failed are some, too


def documents(service: Service, collection: str | None, text: str | None = None) -> tuple[str, list[DocumentRow]]:
    """Return the documents of a collection, by source, and before them its name.

    :param text: that title or source hold, or with which an id begins.
    """
    name, rows = "", []
    for page in service.pages("/documents", "documents", collection=collection, text=text):
        name = page["collection"]
        rows += [_row({**row, "collection": name}) for row in page["documents"]]
    return name, rows


def find_document(service: Service, name: str, collection: str | None) -> DocumentRow:
    """Return what is known of the document that a person means.

    :param name: its id or the start of it, its path at the service, its file name, or the address that it came from;
        a path that begins with `.` or `~` is one of here: what is sent from there keeps its file name alone.
    :raises CollectionError: if there is none, or more than one.
    """
    if is_address(name):
        in_collection, rows = documents(service, collection)
        found = row_from(rows, in_collection, name)
    else:
        name = _sought(name)
        in_collection, rows = _candidates(service, name, collection)
        found = meant_by(rows, in_collection, name)
    return _row(service.ask("GET", _path(found), "doc_id", "source"))


def chunks(service: Service, row: DocumentRow) -> list[ChunkRow]:
    """Return the chunks of a document in order."""
    return [_chunk(one) for page in service.pages(f"{_path(row)}/chunks", "chunks") for one in page["chunks"]]


def delete_document(service: Service, name: str, collection: str | None) -> list[DocumentRow]:
    """Delete a document, or those of all rows of a table; return their rows.

    :param name: as for `find_document`.
    """
    found = _from_address(service, name, collection) if is_address(name) else _named(service, name, collection)
    for row in found:
        service.ask("DELETE", _path(row))
    return found


def _named(service: Service, name: str, collection: str | None) -> list[DocumentRow]:
    name = _sought(name)
    in_collection, rows = _candidates(service, name, collection)
    of_file = [row for row in rows if name in (row["source"], file_of_row(row["source"]))]
    return of_file or [meant_by(rows, in_collection, name)]


def _from_address(service: Service, address: str, collection: str | None) -> list[DocumentRow]:
    """Return what came from an address; what is attached to a mail goes with that."""
    in_collection, rows = documents(service, collection)
    found = rows_from(rows, in_collection, address)
    return [row for row in found if file_of_part(row["source"]) is None] or found


def count_documents(service: Service, collection: str) -> int:
    """Return how many documents a collection has."""
    page = service.ask("GET", "/documents", "total", params={"collection": collection, "limit": 1})
    return int(page["total"])


def delete_collection(service: Service, name: str) -> int:
    """Delete a collection; return how many documents it had."""
    return int(service.ask("DELETE", f"/collections/{quote(name, safe='')}", "documents")["documents"])


def last_part(source: str) -> str:
    """Return a source without folders, whichever system they are of."""
    return source.replace("\\", "/").rpartition("/")[2]


def _sought(name: str) -> str:
    return safe_name(name) if name.startswith((".", "~")) else name


def _candidates(service: Service, name: str, collection: str | None) -> tuple[str, list[DocumentRow]]:
    return documents(service, collection, last_part(name)[:LONGEST_TEXT])


def _path(row: DocumentRow) -> str:
    return f"/documents/{quote(row['doc_id'], safe='')}"


def _row(told: dict[str, Any]) -> DocumentRow:
    """Return a document as a row of the catalog."""
    more = {"tags": told.get("tags"), "summary": told.get("summary"), DEGRADED_STAGES: told.get("degraded")}
    meta = {**(told.get("metadata") or {}), **{key: value for key, value in more.items() if value}}
    row = {key: told.get(key) for key in COLUMNS if key in told}
    if row.get("title") == shown_name(str(row["source"])):
        row["title"] = None  # a service gives the name of the file where there is no title
    more = {key: told.get(key) for key in ("error", "remedy", "ingested_at", "updated_at")}
    return cast(DocumentRow, {**row, "meta": meta, **more})


def _chunk(told: dict[str, Any]) -> ChunkRow:
    """Return a passage as a row of the catalog."""
    first, last = told.get("pages") or (None, None)
    same = {key: told.get(key) for key in ("chunk_id", "ordinal", "section", "page", "time_mark")}
    more = {key: told.get(key) for key in ("start", "end", "language")}
    pages = {"page_first": first, "page_last": last}
    return cast(ChunkRow, {**same, **pages, **more, "content": told.get("text")})
