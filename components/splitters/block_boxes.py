"""Where on its pages a chunk stands."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any


class BlockBoxes:
    """The boxes of a document's blocks, to be asked for those of a span of its text.

    :param blocks: mappings with `start`, `end` (offsets in the text), `page` (from 1) and `bbox` (left, top, right,
        bottom in points); those without a place are left out.
    """

    def __init__(self, blocks: Sequence[dict[str, Any]]) -> None:
        placed = [b for b in blocks if b.get("bbox") and b.get("page") and b.get("start") is not None and b.get("end")]
        self._blocks = sorted(placed, key=lambda block: block["start"])
        self._starts = [block["start"] for block in self._blocks]
        self._ends = list(accumulate((block["end"] for block in self._blocks), max))

    def cover(self, start: int, end: int) -> list[list[float]]:
        """Return the box around all blocks on a page that `text[start:end]` has a part of.

        :returns: `[page, left, top, right, bottom]` for each page, in the order of the pages, to a tenth of a point.
        """
        pages: dict[int, list[float]] = {}
        for block in self._blocks[bisect_right(self._ends, start) : bisect_left(self._starts, end)]:
            if block["end"] <= start:
                continue
            left, top, right, bottom = (round(side, 1) for side in block["bbox"])
            box = pages.setdefault(block["page"], [left, top, right, bottom])
            box[:] = min(box[0], left), min(box[1], top), max(box[2], right), max(box[3], bottom)
        return [[page, *pages[page]] for page in sorted(pages)]
