"""What the tools ask of the hub's catalog."""

from typing import Any

from components.catalog.catalog import Catalog, open_catalog
from components.catalog.reader import CatalogReader
from components.errors import CollectionError

KEPT_BACK = ("found_metadata", "degraded_stages")
"""Metadata that the hub keeps for itself."""


def catalog_of_hub() -> Catalog:
    """Return the catalog."""
    return open_catalog()


def reader() -> CatalogReader:
    """Return a reader of the catalog."""
    return CatalogReader(open_catalog().database)


def has_several_collections() -> bool:
    """Say whether an answer has to name the collection that it comes from."""
    return len(open_catalog().collections.names()) > 1


def document_of(doc_id: str) -> dict[str, Any]:
    """Return a document by its id.

    :raises CollectionError: if there is no such document.
    """
    row = reader().document(doc_id)
    if row is None:
        raise CollectionError(
            f"there is no document with the id {doc_id!r}", "take a doc_id from an answer, or from list_documents"
        )
    return row


def title_of(row: dict[str, Any]) -> str:
    """Return a document's title, or the name of its file."""
    return row["title"] or row["source"].replace("\\", "/").rpartition("/")[2] or row["source"]


def user_metadata(row: dict[str, Any]) -> dict[str, Any]:
    """Return a document's metadata without what the hub keeps for itself."""
    return {key: value for key, value in row["meta"].items() if key not in KEPT_BACK}
