"""Delete documents and collections, so that no job which was asked for before brings them back."""

from collections.abc import Sequence

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.document_row import DocumentRow
from khub.components.errors import CollectionError
from khub.server.jobs.overtaken_jobs import cancel_jobs, drop_from_jobs
from khub.server.library.collections import delete_collection, delete_documents
from khub.server.library.downloads import forget_download
from khub.server.library.from_address import rows_from
from khub.server.library.row_sources import file_of
from khub.server.reads.hub_reads import collections, document_of, reader, require_whole
from khub.server.sources.forgotten import forget_left_file


def delete_known_documents(doc_ids: Sequence[str]) -> None:
    """Delete documents, and the copies of their files that the hub has fetched or was sent.

    :raises CollectionError: if one is not there or not opened to the caller as a whole; then none is deleted.
    :raises AtWorkError: if a job is at work on one; then none is deleted.
    """
    rows = [document_of(doc_id) for doc_id in doc_ids]
    for doc_id in doc_ids:
        require_whole(doc_id)
    _delete(rows)


def delete_document(name: str, collection: str | None = None) -> DocumentRow:
    """Delete a document by id, source or file name: text, vectors and index entries; return its row.

    :raises CollectionError: if there is no such document, or several could be meant.
    :raises AtWorkError: if a job is at work on it.
    """
    catalog = open_catalog()
    row = catalog.documents.find(catalog.collections.resolve(collection), name)
    _delete([row])
    return row


def delete_file(path: str, collection: str | None = None) -> list[DocumentRow]:
    """Delete what came of a file: its document with all that belong to it, or those of all its rows; return their rows.

    :param path: of the file, absolute.
    :raises AtWorkError: if a job is at work on it.
    """
    catalog = open_catalog()
    name = catalog.collections.resolve(collection)
    rows = [r for r in catalog.documents.of_collection(name) if path in (r["source"], file_of(r["source"]))]
    _delete(rows)
    forget_download(path, name)
    if rows:
        forget_left_file(path)
    return rows


def delete_from_address(address: str, collection: str | None = None) -> list[DocumentRow]:
    """Delete what came from an address, as `delete_file` does; return the rows.

    :raises CollectionError: if nothing came from there, or several files.
    :raises AtWorkError: if a job is at work on it.
    """
    catalog = open_catalog()
    name = catalog.collections.resolve(collection)
    rows = rows_from(catalog.documents.of_collection(name), name, address)
    return delete_file(file_of(rows[0]["source"]), name)


def delete_opened_collection(name: str) -> int:
    """Delete a collection with everything in it; return how many documents it had. Jobs of it that wait are cancelled.

    :raises CollectionError: if there is none, or parts of it are closed to the caller.
    :raises AtWorkError: if a job is at work in it.
    """
    found = collections().resolve(name)
    if not reader().collection_is_opened(found):
        raise CollectionError(
            f"parts of collection {name!r} are closed to you",
            "ask somebody who may read all of it",
            code="access_denied",
        )
    cancel_jobs(found)
    return delete_collection(found)


def _delete(rows: Sequence[DocumentRow]) -> None:
    for name in {row["collection"] for row in rows}:
        drop_from_jobs(name, [row["source"] for row in rows if row["collection"] == name])
    for name in {row["collection"] for row in rows}:
        delete_documents([row["doc_id"] for row in rows if row["collection"] == name], name)
    for row in rows:
        forget_download(row["source"], row["collection"])
        forget_left_file(row["source"])
