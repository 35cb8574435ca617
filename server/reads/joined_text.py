"""Passages put together again, as the document has them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from haystack import Document


def joined(chunks: Sequence["Document"]) -> str:
    """Return the text of passages, what two of them have in common once.

    :param chunks: of one document, in its order.
    """
    text, end = "", 0
    for chunk in chunks:
        content, start = chunk.content or "", chunk.meta["start"]
        if text and start < end and len(content) == chunk.meta["end"] - start:
            text += content[end - start :]  # else a stage has changed the text: offsets say nothing about it
        else:
            text += ("\n\n" if text else "") + content
        end = max(end, chunk.meta["end"])
    return text
