"""A token in a list of the command line."""

from typing import TypedDict


class TokenRow(TypedDict):
    """What is told of a token, which is not itself.

    :ivar access: `read` or `write`.
    :ivar levels: that it opens; None for all, as `collections`.
    :ivar expires: a time, empty or None without end.
    """

    name: str
    id: str
    access: str
    levels: tuple[str, ...] | None
    collections: tuple[str, ...] | None
    expires: str | None
    expired: bool
    created: str
