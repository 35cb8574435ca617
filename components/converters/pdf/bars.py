"""Bar charts: filled boxes on one base line."""

import itertools
from collections.abc import Iterator, Sequence

from khub.components.converters.blocks import Box
from khub.components.converters.pdf.boxes import inside
from khub.components.converters.pdf.layout import Segment

_FEWEST = 3
_THINNEST = 3.0
_SAME_WIDTH = 1.5
_WIDEST_GAP = 5.0


def bar_groups(fills: Sequence[Box], segments: Sequence[Segment]) -> Iterator[Box]:
    """Find bars: boxes that begin at one line, are equally wide and of different lengths, without text on them.

    :returns: the box around each group of bars.
    """
    for upright in (True, False):
        groups: dict[tuple[int, int], list[Box]] = {}
        for box in fills:
            base, width = (box[3], box[2] - box[0]) if upright else (box[0], box[3] - box[1])
            if width >= _THINNEST:
                groups.setdefault((round(base / 2), round(width / _SAME_WIDTH)), []).append(box)
        for group in groups.values():
            if _are_bars(group, upright) and not _are_written_on(group, segments):
                yield (
                    min(b[0] for b in group),
                    min(b[1] for b in group),
                    max(b[2] for b in group),
                    max(b[3] for b in group),
                )


def _are_bars(group: list[Box], upright: bool) -> bool:
    lengths = {round((box[3] - box[1] if upright else box[2] - box[0]) / 3) for box in group}
    if len(lengths) < _FEWEST:
        return False
    along = sorted((box[0], box[2]) if upright else (box[1], box[3]) for box in group)
    width = along[0][1] - along[0][0]
    steps = [after[0] - before[1] for before, after in itertools.pairwise(along)]
    return all(-1.0 <= step <= _WIDEST_GAP * width for step in steps)


def _are_written_on(group: list[Box], segments: Sequence[Segment]) -> bool:
    written = sum(any(inside((s.x0, s.top, s.x1, s.bottom), box) for s in segments) for box in group)
    return 2 * written > len(group)
