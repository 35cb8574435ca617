"""Where the blocks of a converted document stand in its text."""

from collections.abc import Sequence
from typing import Any

from khub.components.converters.blocks import Block


def place_blocks(text: str, page_starts: Sequence[int], blocks: Sequence[Block]) -> list[dict[str, Any]]:
    """Find each block in the text.

    :param text: the whole document, from `join_pages`.
    :param page_starts: the offset at which each page begins.
    :param blocks: in the order of the text; the text of each stands in that of its page.
    :returns: the blocks' fields without `text`, and the offsets `start` and `end`; one that a later clean-up of the
        text has changed is left out.
    """
    placed: list[dict[str, Any]] = []
    cursor = 0
    for block in blocks:
        first, last = page_starts[block.page - 1], _end_of_page(text, page_starts, block.page)
        start = text.find(block.text, max(cursor, first), last) if block.text else -1
        if start < 0:
            continue
        cursor = start + len(block.text)
        placed.append(
            {
                "kind": block.kind,
                "page": block.page,
                "bbox": block.bbox,
                "level": block.level,
                "start": start,
                "end": cursor,
            }
        )
    return placed


def _end_of_page(text: str, page_starts: Sequence[int], page: int) -> int:
    return page_starts[page] if page < len(page_starts) else len(text)
