"""The documents and collections of a service, as the catalog of a hub has them."""

from typing import Any
from urllib.parse import quote

from khub.components.catalog.documents import DEGRADED_STAGES, meant_by
from khub.components.catalog.parts import shown_name
from khub.components.text.file_names import safe_name
from khub.server.library.row_sources import file_of_row
from khub.server.remote.service import Service

LONGEST_TEXT = 500
COLUMNS = (
    "doc_id", "collection", "source", "status", "doc_type", "title", "language", "pages", "chunks", "size", "sha256",
)  # fmt: skip
COUNTS = ("name", "documents", "failed", "chunks")


def collections(service: Service) -> list[dict[str, Any]]:
    """Return name and counts of every collection."""
    rows = service.ask("GET", "/collections", "collections")["collections"]
    counts = [{key: row.get(key, 0) for key in COUNTS} for row in rows]
    return [{**row, "documents": row["documents"] + row["failed"]} for row in counts]  # those that failed are some, too


def documents(service: Service, collection: str | None, text: str | None = None) -> tuple[str, list[dict[str, Any]]]:
    """Return the documents of a collection, by source, and before them its name.

    :param text: that title or source hold, or with which an id begins.
    """
    name, rows = "", []
    for page in service.pages("/documents", "documents", collection=collection, text=text):
        name = page["collection"]
        rows += [_row({**row, "collection": name}) for row in page["documents"]]
    return name, rows


def find_document(service: Service, name: str, collection: str | None) -> dict[str, Any]:
    """Return what is known of the document that a person means.

    :param name: its id or the start of it, its path at the service, or its file name; a path that begins with `.` or
        `~` is one of here: what is sent from there keeps its file name alone.
    :raises CollectionError: if there is none, or more than one.
    """
    name = _sought(name)
    in_collection, rows = _candidates(service, name, collection)
    found = meant_by(rows, in_collection, name)
    return _row(service.ask("GET", _path(found), "doc_id", "source"))


def chunks(service: Service, row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the chunks of a document in order."""
    return [_chunk(one) for page in service.pages(f"{_path(row)}/chunks", "chunks") for one in page["chunks"]]


def delete_document(service: Service, name: str, collection: str | None) -> list[dict[str, Any]]:
    """Delete a document, or those of all rows of a table; return their rows.

    :param name: as for `find_document`.
    """
    name = _sought(name)
    in_collection, rows = _candidates(service, name, collection)
    of_file = [row for row in rows if name in (row["source"], file_of_row(row["source"]))]
    found = of_file or [meant_by(rows, in_collection, name)]
    for row in found:
        service.ask("DELETE", _path(row))
    return found


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


def _candidates(service: Service, name: str, collection: str | None) -> tuple[str, list[dict[str, Any]]]:
    return documents(service, collection, last_part(name)[:LONGEST_TEXT])


def _path(row: dict[str, Any]) -> str:
    return f"/documents/{quote(row['doc_id'], safe='')}"


def _row(told: dict[str, Any]) -> dict[str, Any]:
    """Return a document as a row of the catalog."""
    more = {"tags": told.get("tags"), "summary": told.get("summary"), DEGRADED_STAGES: told.get("degraded")}
    meta = {**(told.get("metadata") or {}), **{key: value for key, value in more.items() if value}}
    row = {key: told.get(key) for key in COLUMNS if key in told}
    if row.get("title") == shown_name(str(row["source"])):
        row["title"] = None  # a service gives the name of the file where there is no title
    return {**row, "meta": meta, **{key: told.get(key) for key in ("error", "remedy", "ingested_at", "updated_at")}}


def _chunk(told: dict[str, Any]) -> dict[str, Any]:
    """Return a passage as a row of the catalog."""
    first, last = told.get("pages") or (None, None)
    same = {key: told.get(key) for key in ("chunk_id", "ordinal", "section", "page")}
    more = {key: told.get(key) for key in ("start", "end", "language")}
    return {**same, "page_first": first, "page_last": last, **more, "content": told.get("text")}
