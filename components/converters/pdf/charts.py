"""Figures of which little is drawn: curves between two axes, shapes above a caption, boxes joined by arrows."""

import re
from collections.abc import Iterator, Sequence
from functools import reduce

from khub.components.converters.blocks import Box
from khub.components.converters.pdf.boxes import area_of, inside, union
from khub.components.converters.pdf.captions import is_caption
from khub.components.converters.pdf.drawing_reader import Drawings
from khub.components.converters.pdf.layout import Ruling, Segment

_NEAR = 8.0
_SHORTEST_CURVE = 60.0
_MOST_CURVES, _MOST_CORNERS = 200, 400
_LEAST_OF_AXIS = 0.4
_LONGEST_ARROW = 0.3
_MOST_ARROWS, _MOST_JOINED = 500, 200
_LARGEST_JOINED = 0.4
_FEWEST_SHAPES = 3
_FARTHEST_CAPTION = 60.0
_OF_TABLE = re.compile(r"tab|表", re.IGNORECASE)
_FEWEST_LABELS, _LONGEST_LABEL = 2, 24
_NUMBERS = re.compile(r"[-−+\d.,%\s]+")
_FARTHEST_LABEL, _TOUCH = 20.0, 3.0


def curve_plots(drawings: Drawings) -> Iterator[Box]:
    """Find plots: a curve or slanted line above a horizontal and beside a vertical line that meet in a corner.

    :returns: the box of each plot with its curves.
    """
    curves = [curve for curve in drawings.pieces if curve[2] - curve[0] >= _SHORTEST_CURVE][:_MOST_CURVES]
    corners = _corners(drawings.rulings) if curves else []
    plots: dict[Box, Box] = {}
    for curve in curves:
        # the widest axes: lines of a grid make corners, too
        axes = next((axes for axes in corners if _holds(axes, curve)), None)
        if axes:
            plots[axes] = union(plots.get(axes, axes), curve)
    yield from plots.values()


def _corners(rulings: Sequence[Ruling]) -> list[Box]:
    """Return the boxes that a horizontal line and a vertical one span which meet at the lower left, largest first."""
    low_by_x: dict[int, list[Ruling]] = {}
    for line in rulings:
        if line.top == line.bottom and line.x1 - line.x0 >= _SHORTEST_CURVE:
            low_by_x.setdefault(round(line.x0 / _NEAR), []).append(line)
    found: set[Box] = set()
    for side in rulings:
        if side.x0 != side.x1 or len(found) >= _MOST_CORNERS:
            continue
        column = round(side.x0 / _NEAR)
        for low in (line for near in (column - 1, column, column + 1) for line in low_by_x.get(near, ())):
            if abs(low.x0 - side.x0) <= _NEAR and abs(low.top - side.bottom) <= _NEAR:
                found.add((side.x0, side.top, low.x1, low.bottom))
    return sorted(found, key=area_of, reverse=True)


def _holds(axes: Box, curve: Box) -> bool:
    between = curve[0] >= axes[0] - 2 and curve[3] <= axes[3] + 2
    within = curve[2] <= axes[2] + _NEAR and curve[1] >= axes[1] - _NEAR
    return between and within and curve[2] - curve[0] >= _LEAST_OF_AXIS * (axes[2] - axes[0])


def with_labels(chart: Box, segments: Sequence[Segment]) -> Box:
    """Grow a chart by the labels of its axes: two or more short words below it or at its left, and no running text."""
    x0, y0, x1, y1 = chart
    level = [s for s in segments if s.upright]
    beside = [s for s in level if _is_beside(s.x1, x0) and y0 - _NEAR <= (s.top + s.bottom) / 2 <= y1 + _NEAR]
    below = [s for s in level if _is_beside(y1, s.top) and x0 - _NEAR <= (s.x0 + s.x1) / 2 <= x1 + _NEAR]
    nearest = min((s.top for s in below), default=0.0)
    below = [s for s in below if s.top - nearest <= _TOUCH]
    grown = chart
    for labels in (beside, below):
        short = all(len(label.text) <= _LONGEST_LABEL or _NUMBERS.fullmatch(label.text) for label in labels)
        if short and sum(len(label.words) for label in labels) >= _FEWEST_LABELS:
            grown = reduce(union, ((s.x0, s.top, s.x1, s.bottom) for s in labels), grown)
    return grown


def _is_beside(end: float, start: float) -> bool:
    return -_TOUCH <= start - end <= _FARTHEST_LABEL


def figure_captions(segments: Sequence[Segment]) -> list[Segment]:
    """Return the lines that begin as captions of figures do."""
    return [segment for segment in segments if is_caption(segment.text) and not _OF_TABLE.match(segment.text)]


def captioned(regions: Sequence[Box], shapes: Sequence[Box], captions: Sequence[Segment]) -> Iterator[Box]:
    """Find regions of several shapes with the caption of a figure right above or below.

    :param regions: boxes around groups of shapes.
    :param shapes: the boxes in them.
    """
    for region in regions:
        if sum(inside(shape, region) for shape in shapes) >= _FEWEST_SHAPES and any(
            _belongs(caption, region) for caption in captions
        ):
            yield region


def _belongs(caption: Segment, region: Box) -> bool:
    gap = max(caption.top - region[3], region[1] - caption.bottom, 0.0)
    return gap <= _FARTHEST_CAPTION and min(caption.x1, region[2]) > max(caption.x0, region[0])


def joined_by_arrows(regions: Sequence[Box], rulings: Sequence[Ruling], size: tuple[float, float]) -> list[Box]:
    """Join regions between which a short line runs, unless they would fill the page as its decoration does.

    :param size: width and height of the page.
    """
    joined = list(regions)
    if len(joined) > _MOST_JOINED:
        return joined
    arrows = [line for line in rulings if max(line.x1 - line.x0, line.bottom - line.top) <= _LONGEST_ARROW * size[0]]
    for line in arrows[:_MOST_ARROWS]:
        begins = next((region for region in joined if _reaches(line.x0, line.top, region)), None)
        ends = next((region for region in joined if _reaches(line.x1, line.bottom, region) and region != begins), None)
        if begins and ends and area_of(union(begins, ends)) <= _LARGEST_JOINED * size[0] * size[1]:
            joined = [region for region in joined if region not in (begins, ends)] + [union(begins, ends)]
    return joined


def _reaches(x: float, y: float, region: Box) -> bool:
    return region[0] - _NEAR <= x <= region[2] + _NEAR and region[1] - _NEAR <= y <= region[3] + _NEAR
