"""Delete what the caller may read as a whole, and nothing else."""

from collections.abc import Sequence

from components.catalog.catalog import open_catalog
from components.errors import CollectionError
from server.library.collections import delete_collection, delete_documents
from server.library.downloads import forget_download
from server.reads.hub_reads import collections, document_of, reader, require_whole


def delete_known_documents(doc_ids: Sequence[str]) -> None:
    """Delete documents, and the copies of their files that the hub has fetched or was sent.

    :raises CollectionError: if one is not there or not opened to the caller as a whole; then none is deleted.
    """
    rows = [document_of(doc_id) for doc_id in doc_ids]
    for doc_id in doc_ids:
        require_whole(doc_id)
    for name in {row["collection"] for row in rows}:
        delete_documents([row["doc_id"] for row in rows if row["collection"] == name], name)
    for row in rows:
        forget_download(row["source"], row["collection"])


def delete_opened_collection(name: str) -> int:
    """Delete a collection with everything in it; return how many documents it had.

    :raises CollectionError: if there is none, parts of it are closed to the caller, or a job is at work in it.
    """
    found = collections().resolve(name)
    if not reader().collection_is_opened(found):
        raise CollectionError(f"parts of collection {name!r} are closed to you", "ask somebody who may read all of it")
    if any(job["collection"] == found for job in open_catalog().jobs.listed(("running",))):
        raise CollectionError(f"a job is at work in collection {name!r}", "cancel it, or wait until it has ended")
    return delete_collection(found)
