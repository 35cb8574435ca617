"""What is said of a document in a list."""

from dataclasses import dataclass
from typing import Any

from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.documents import DEGRADED_STAGES
from khub.components.catalog.origin import origin_of
from khub.components.value import Value
from khub.server.reads.hub_reads import collections, reader, user_metadata
from khub.server.reads.listed import document_row

PAGE = 1000


@dataclass(frozen=True)
class ListedDocument(Value):
    """A document in a list, or a file that could not be read."""

    doc_id: str
    title: str
    source: str
    """Path of its file."""
    url: str | None
    """Address of its origin, where the hub has fetched it."""
    doc_type: str | None
    language: str | None
    pages: int | None
    chunks: int
    size: int | None
    """Size of its file, in bytes."""
    tags: list[str]
    status: str
    """`ready` or `failed`."""
    error: str | None
    remedy: str | None
    degraded: list[str]
    """Stages for which something simpler stands in: ingest it again."""
    metadata: dict[str, Any]
    ingested_at: str | None
    updated_at: str


def listed(row: DocumentRow) -> ListedDocument:
    """Return what is said of a document.

    :param row: of the catalog.
    """
    tags = row["meta"].get("tags") or []
    named = [str(tag) for tag in tags] if isinstance(tags, list) else [str(tags)]
    meta = {key: value for key, value in user_metadata(row).items() if key not in ("tags", "summary")}
    degraded = list(row["meta"].get(DEGRADED_STAGES) or [])
    return ListedDocument(
        **document_row(row),
        url=origin_of(row["source"], row["meta"]),
        size=row["size"],
        remedy=row["remedy"],
        updated_at=row["updated_at"],
        tags=named,
        degraded=degraded,
        metadata=meta,
    )


def documents(collection: str | None = None) -> list[ListedDocument]:
    """Return the documents of a collection, by source.

    :param collection: its name; the only one, or `default`, if None.
    :raises CollectionError: if there is no such collection.
    """
    name, found = collections().resolve(collection), list[DocumentRow]()
    while page := reader().documents(name, len(found), PAGE):
        found += page
    return [listed(row) for row in found]
