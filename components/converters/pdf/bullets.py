"""List bullets that are drawn, not written."""

from bisect import bisect_left
from collections.abc import Sequence

from khub.components.converters.blocks import Box
from khub.components.converters.pdf.layout import Segment, Word

BULLET = "•"
_FARTHEST = 2.6
_MOST = 400


def add_bullets(segments: Sequence[Segment], dots: Sequence[Box]) -> None:
    """Write a bullet before each line that a small drawn shape stands in front of.

    :param segments: of the page; changed in place.
    :param dots: boxes of the small shapes.
    """
    if len(dots) > _MOST:
        return
    upright = sorted((segment for segment in segments if segment.upright), key=lambda each: each.top)
    tops = [segment.top for segment in upright]
    for x0, top, x1, bottom in dots:
        middle = (top + bottom) / 2
        near = [
            segment
            for segment in upright[bisect_left(tops, middle - 40) : bisect_left(tops, middle)]
            if segment.bottom > middle and bottom - top < 0.7 * segment.size
        ]
        after = [
            s
            for s in near
            if 0 < s.x0 - x1 < _FARTHEST * s.size and abs(s.baseline - 0.33 * s.size - middle) < 0.3 * s.size
        ]
        before = any(s.x0 < x0 and x0 - s.x1 < 4 * s.size for s in near)
        if after and not before:
            segment = min(after, key=lambda each: each.x0)
            segment.words.insert(0, Word(BULLET, x0, x1))
            segment.words[1] = segment.words[1]._replace(spaced=True)
            segment.x0 = x0
