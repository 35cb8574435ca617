"""What an examination found in a collection."""

from typing import NotRequired, TypedDict


class CollectionHealth(TypedDict):
    """Whether the indexes say what the catalog says.

    :ivar healthy: whether nothing is wrong, or no longer.
    :ivar documents: how many; so `chunks`.
    :ivar searched: how many chunks were searched by their vectors.
    :ivar problems: a line each; so `notes` and `repaired`.
    """

    collection: str
    healthy: bool
    documents: int
    chunks: int
    searched: NotRequired[int]
    problems: list[str]
    notes: list[str]
    repaired: list[str]
