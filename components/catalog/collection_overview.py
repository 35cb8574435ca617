"""What lies in a collection, in numbers and words."""

from typing import TypedDict


class CollectionOverview(TypedDict):
    """What a caller may know of a collection.

    :ivar documents: how many; so `chunks` and `pages`.
    :ivar languages: the most frequent first; so `doc_types` and `tags`.
    :ivar changed_at: ISO 8601 in UTC; empty where that is not known.
    """

    documents: int
    chunks: int
    pages: int
    languages: list[str]
    doc_types: list[str]
    tags: list[str]
    changed_at: str
