"""How much a collection holds, as far as the caller may read it."""

from collections import Counter
from typing import Any

from khub.components.catalog.document_page import Wanted
from khub.server.reads.collection_size import CollectionSize
from khub.server.reads.hub_reads import collections, reader

ALL = -1


def collection_stats(name: str | None) -> list[CollectionSize]:
    """Return `{collection, documents, failed, chunks, pages, pictures, languages, types}` of each collection.

    `languages` and `types` are those of the documents, with their numbers, most first.

    :param name: that of one; all that there are for the caller if None.
    :raises CollectionError: if there is no such collection.
    """
    names = collections().names() if name is None else [collections().resolve(name)]
    return [_stats(one) for one in names]


def _stats(name: str) -> CollectionSize:
    _, rows = reader().page(Wanted(name), None, ALL)
    ready = [row for row in rows if row["status"] == "ready"]
    return {
        "collection": name,
        "documents": len(ready),
        "failed": len(rows) - len(ready),
        "chunks": sum(row["chunks"] or 0 for row in rows),
        "pages": sum(row["pages"] or 0 for row in rows),
        "pictures": reader().count_pictures(name),
        "languages": _counted(row["language"] for row in ready),
        "types": _counted(row["doc_type"] for row in ready),
    }


def _counted(values: Any) -> dict[str, int]:
    return dict(Counter(value for value in values if value).most_common())
