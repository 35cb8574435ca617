"""Lines near the upper and the lower edge of a page, and whether they are parts of what the page says."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from khub.components.converters.pdf.layout import PageLayout, Segment
from khub.components.converters.pdf.lines import Line, line_parts, to_lines

_ZONE, _OUTER_MARGIN = 0.13, 0.04
_LINES_IN_ZONE = 4
_LINES_LOOKED_AT = 4
_AWAY = 1.4
_LARGER = 1.2
_LEAST_STEP = 4.0
_SAME_COLUMN = 2.0
_LONGEST_VALUE = 40
_FEWEST_IN_COLUMN = 2
_LABELLED = re.compile(r"[^\W\d_][^:：]{0,40}[:：]\s*\S")


class EdgeOfPage(NamedTuple):
    """A line near an edge, or a part of it that stands by itself.

    :param height: of its baseline over or under the edge.
    :param large: whether it is set larger than the text, as a heading is.
    :param in_body: whether no more than the usual step lies between it and what stands further inside.
    :param in_table: whether it is the line of a table, or one of several lines of label and value.
    """

    line: Line
    at_top: bool
    height: float
    large: bool
    in_body: bool
    in_table: bool


def lines_at_edges(page: PageLayout) -> list[EdgeOfPage]:
    """Return the first and the last lines of a page that stand near its edges."""
    limit = _ZONE * page.height
    upright = [segment for segment in page.segments if segment.upright]
    steps = _Steps(upright)
    usual = median([segment.size for segment in page.segments] or [0.0])
    found: list[EdgeOfPage] = []
    for at_top in (True, False):
        near = [s for s in upright if (s.bottom < limit if at_top else s.top > page.height - limit)]
        lines = sorted(to_lines(near), key=lambda line: line.baseline, reverse=not at_top)
        heights = sorted({round(line.baseline) for line in lines}, reverse=not at_top)[:_LINES_IN_ZONE]
        for place, line in enumerate(lines):
            if round(line.baseline) not in heights:
                continue
            height = line.baseline if at_top else page.height - line.baseline
            outside = height < _OUTER_MARGIN * page.height
            in_body = not outside and steps.is_in_body(line.baseline, inwards=1 if at_top else -1)
            in_table = _is_labelled(lines, place) or _is_in_columns(line, upright)
            large = not outside and line.size > _LARGER * usual
            found += [EdgeOfPage(part, at_top, height, large, in_body, in_table) for part in line_parts(line)]
    return found


class _Steps:
    """The steps from line to line on a page."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._baselines = sorted({round(segment.baseline) for segment in segments})
        steps = [below - above for above, below in pairwise(self._baselines) if below - above > _LEAST_STEP]
        self._usual = median(steps) if steps else 0.0

    def is_in_body(self, baseline: float, inwards: int) -> bool:
        """Whether the next lines further inside follow without a gap.

        :param inwards: 1 where they are those below, -1 where they are those above.
        """
        if inwards > 0:
            start = bisect_right(self._baselines, round(baseline))
            inside = self._baselines[start : start + _LINES_LOOKED_AT]
        else:
            end = bisect_left(self._baselines, round(baseline))
            inside = self._baselines[max(end - _LINES_LOOKED_AT, 0) : end][::-1]
        way = [round(baseline), *inside]
        return bool(inside) and all(abs(after - before) < _AWAY * self._usual for before, after in pairwise(way))


def _is_labelled(lines: Sequence[Line], place: int) -> bool:
    """Whether a line and one beside it each name something and say what it is."""
    beside = [lines[other] for other in (place - 1, place + 1) if 0 <= other < len(lines)]
    return bool(_LABELLED.match(lines[place].text)) and any(_LABELLED.match(line.text) for line in beside)


def _is_in_columns(line: Line, segments: Sequence[Segment]) -> bool:
    """Whether a part of a line, not its first, begins where the values of other lines do."""
    starts = [part.x0 for part in line_parts(line)[1:]]
    if not starts:
        return False
    left = min(segment.x0 for segment in segments)
    values = [s for s in segments if len(s.text) <= _LONGEST_VALUE and s.x0 > left + _SAME_COLUMN]
    others = [s.x0 for s in values if abs(s.baseline - line.baseline) > _LEAST_STEP]
    return any(sum(abs(x - start) < _SAME_COLUMN for x in others) >= _FEWEST_IN_COLUMN for start in starts)
