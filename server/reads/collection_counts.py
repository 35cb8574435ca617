"""How many documents a collection has."""

from typing import TypedDict


class CollectionCounts(TypedDict):
    """What a list of the command line says of a collection.

    :ivar documents: how many, those that failed among them.
    """

    name: str
    documents: int
    failed: int
    chunks: int
