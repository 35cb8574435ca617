"""How much a collection holds."""

from typing import TypedDict


class CollectionSize(TypedDict):
    """Numbers of a collection.

    :ivar documents: how many can be read; the others are `failed`.
    :ivar languages: language -> documents, most first; so `types`.
    """

    collection: str
    documents: int
    failed: int
    chunks: int
    pages: int
    pictures: int
    languages: dict[str, int]
    types: dict[str, int]
