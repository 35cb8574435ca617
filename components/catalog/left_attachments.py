"""Files attached to a mail that were left out."""

from typing import TypedDict


class LeftAttachments(TypedDict):
    """Why files were left out, as the metadata of the mail says it.

    :ivar names: some of them.
    :ivar count: how many they are.
    """

    reason: str
    remedy: str
    names: list[str]
    count: int
