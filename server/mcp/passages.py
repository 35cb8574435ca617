"""How many passages a result has room for."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from haystack import Document


def fitting(chunks: Sequence["Document"], tokens: int) -> int:
    """Return how many of the passages, one at least, take no more tokens than that."""
    from khub.server.mcp.budget import text_tokens

    used = 0
    for number, chunk in enumerate(chunks):
        used += text_tokens(chunk.content or "")
        if used > tokens and number:
            return number
    return len(chunks)
