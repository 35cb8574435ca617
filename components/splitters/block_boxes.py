"""Where on its pages a chunk stands."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
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
        self._of_page: dict[int, list[dict[str, Any]]] = defaultdict(list)
        for block in self._blocks:
            self._of_page[block["page"]].append(block)

    def cover(self, start: int, end: int) -> list[list[float]]:
        """Return the boxes around the blocks that `text[start:end]` has a part of: no other block lies in one.

        :returns: `[page, left, top, right, bottom]`, in the order of the pages, to a tenth of a point; a page has
            several where the text goes on in another column, or around something else.
        """
        found = self._blocks[bisect_right(self._ends, start) : bisect_left(self._starts, end)]
        own = [block for block in found if block["end"] > start]
        known = {id(block) for block in own}
        boxes: list[list[float]] = []
        for block in sorted(own, key=lambda one: one["page"]):
            box = [block["page"], *(round(side, 1) for side in block["bbox"])]
            around = _union(boxes[-1], box) if boxes and boxes[-1][0] == block["page"] else None
            if around is not None and not self._lies_in(around, known):
                boxes[-1] = around
            else:
                boxes.append(box)
        return boxes

    def _lies_in(self, box: Sequence[float], own: set[int]) -> bool:
        """Say whether the middle of a block lies in a box that is none of some, by `id`."""
        page, left, top, right, bottom = box
        others = (other["bbox"] for other in self._of_page[int(page)] if id(other) not in own)
        return any(left < (o[0] + o[2]) / 2 < right and top < (o[1] + o[3]) / 2 < bottom for o in others)


def _union(one: Sequence[float], other: Sequence[float]) -> list[float]:
    return [
        one[0], min(one[1], other[1]), min(one[2], other[2]), max(one[3], other[3]), max(one[4], other[4]),
    ]  # fmt: skip
