"""What the tools ask of the hub's catalog."""

from typing import Any

from haystack import Document

from khub.components.catalog.catalog import Catalog, open_catalog
from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.opened_collections import OpenedCollections
from khub.components.catalog.parts import shown_name
from khub.components.catalog.reader import CatalogReader
from khub.components.errors import CollectionError
from khub.components.text.shown_address import shown_address
from khub.server.reads.nearest_document import nearest_document

KEPT_BACK = ("found_metadata", "given_metadata", "degraded_stages", "synced_hash")
"""Metadata that the hub keeps for itself."""


class NotThereError(CollectionError):
    """Something that does not exist, or not for the caller."""

    code = "not_found"


def catalog_of_hub() -> Catalog:
    """Return the catalog."""
    return open_catalog()


def reader() -> CatalogReader:
    """Return a reader of the catalog."""
    return CatalogReader(open_catalog().database)


def collections() -> OpenedCollections:
    """Return the collections that there are for a caller."""
    return open_catalog().opened_collections


def has_several_collections() -> bool:
    """Say whether an answer has to name the collection that it comes from."""
    return len(collections().names()) > 1


def document_of(doc_id: str) -> DocumentRow:
    """Return a document by its id.

    :raises NotThereError: if there is no such document.
    """
    row = reader().document(doc_id)
    if row is None:
        raise NotThereError(
            f"there is no document with the id {doc_id!r}",
            "take a doc_id from an answer, or from describe",
            code="document_unknown",
        )
    return row


def document_meant(name: str) -> DocumentRow:
    """Return a document by its id, the start of one, its source, file name or title.

    :raises NotThereError: if there is no such document.
    :raises CollectionError: naming the ids, if several are meant.
    """
    return reader().document(name) or only_one(reader().named(source=name.strip()), "id or name", name)


def only_one(rows: list[DocumentRow], what: str, name: str) -> DocumentRow:
    """Return the only document of several that could be meant.

    :param what: they have in common: `sha256`, or `id or name`.
    :param name: that of it which was given.
    :raises NotThereError: if there is none, naming the one with the most similar name.
    :raises CollectionError: naming the ids, if there are several.
    """
    called = f"the {what} {name[:200]!r}"
    if not rows:
        remedy = nearest_document(reader(), collections().names(), name[:200])
        raise NotThereError(f"there is no document with {called}", remedy, code="document_unknown")
    if len(rows) > 1:
        ids = ", ".join(f"{row['doc_id']} ({row['collection']})" for row in rows)
        raise CollectionError(
            f"several documents have {called}", f"name one by its doc_id: {ids}", code="document_ambiguous"
        )
    return rows[0]


def passage_of(chunk_id: str, doc_id: str | None) -> Document:
    """Return a passage by its id, or by how that begins.

    :param doc_id: the document that it has to be of; any if None.
    :raises NotThereError: if there is no such passage.
    :raises CollectionError: naming the ids, if several begin so.
    """
    found = [chunk for chunk in reader().chunks_called(chunk_id) if doc_id in (None, chunk.meta["doc_id"])]
    if not found:
        of = "there is no passage" if doc_id is None else f"document {doc_id!r} has no passage"
        raise NotThereError(
            f"{of} {chunk_id!r}", "take a chunk_id from a citation of this document", code="passage_unknown"
        )
    if len(found) > 1:
        ids = ", ".join(f"{chunk.id} ({chunk.meta['source']})" for chunk in found)
        raise CollectionError(
            f"several passages have an id that begins with {chunk_id!r}",
            f"name one by its whole id: {ids}",
            code="passage_ambiguous",
        )
    return found[0]


def require_whole(doc_id: str) -> None:
    """Let pass a document that the caller may change.

    :raises CollectionError: if not all of it is opened to the caller.
    """
    if not reader().document_is_opened(doc_id):
        raise CollectionError(
            f"parts of document {doc_id!r} are closed to you",
            "ask somebody who may read all of it",
            code="access_denied",
        )


def require_whole_page(doc_id: str, page: int) -> None:
    """Let pass a page that may be shown as a whole.

    :raises NotThereError: if not all that stands on it may be read.
    """
    if not reader().page_is_opened(doc_id, page):
        raise NotThereError(
            f"page {page} of document {doc_id!r} cannot be shown as a whole", f"read it with read_section, pages {page}"
        )


def title_of(row: DocumentRow) -> str:
    """Return a document's title, or the name of its file."""
    return row["title"] or shown_name(row["source"])


def user_metadata(row: DocumentRow) -> dict[str, Any]:
    """Return a document's metadata without what the hub keeps for itself, and what opens a door in its address."""
    meta = {key: value for key, value in row["meta"].items() if key not in KEPT_BACK}
    if isinstance(meta.get("url"), str):  # a file, or a person, may have given a password with it
        meta["url"] = shown_address(meta["url"])
    return meta
