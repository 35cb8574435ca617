"""A collection in a list."""

from typing import TypedDict


class CollectionEntry(TypedDict):
    """What a list says of a collection.

    :ivar description: its kinds of documents, and what they are about.
    :ivar documents: how many; so `chunks`.
    :ivar graphs: that can answer from it.
    """

    name: str
    description: str
    documents: int
    chunks: int
    languages: list[str]
    changed_at: str
    graphs: list[str]
