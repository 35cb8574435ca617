"""Which images and drawings of a page are figures."""

from collections.abc import Iterable
from functools import reduce

import numpy as np

from khub.components.converters.blocks import Box
from khub.components.converters.pdf.bars import bar_groups
from khub.components.converters.pdf.boxes import area_of, inside, merged_boxes, overlap, union
from khub.components.converters.pdf.charts import captioned, curve_plots, figure_captions, joined_by_arrows, with_labels
from khub.components.converters.pdf.drawing_reader import Drawings
from khub.components.converters.pdf.layout import Figure, Segment

_CELL = 6.0
_SMALLEST_IMAGE = 24.0
_SMALLEST_DRAWING = 40.0
_MOST_SLENDER = 15.0
_LEAST_SHARE = 0.012
_WHOLE_PAGE = 0.8
_FEW_WORDS = 12
_FEWEST_PIECES = 4
_MOST_COVERED = 0.3
_MOST_FIGURES = 24
_MOSTLY = 0.5


def find_figures(
    drawings: Drawings, segments: list[Segment], size: tuple[float, float], garbled: bool
) -> tuple[list[Figure], bool]:
    """Choose the figures of a page.

    :returns: figures from top to bottom, without pixels, and whether the page needs OCR: it shows something, but its
        text layer is absent or garbled. Such a page is one figure of kind "page".
    """
    words = sum(len(segment.words) for segment in segments)
    area = max(size[0] * size[1], 1.0)
    images = merged_boxes([image.box for image in drawings.images])
    shown = sum(area_of(box) for box in images) / area
    outlines = len(drawings.pieces)
    if garbled or (words < _FEW_WORDS and shown > 0.4) or (words == 0 and (shown > 0.1 or outlines > 200)):
        return [Figure((0.0, 0.0, *size), "page")], True
    figures = [Figure(box, "raster") for box in images if _is_figure(box, _SMALLEST_IMAGE, area)]
    # An image behind a page full of text is its background, or the scan that the text was read from.
    figures = [figure for figure in figures if area_of(figure.box) < _WHOLE_PAGE * area]
    for box in _drawn(drawings, segments, size):
        if _is_figure(box, _SMALLEST_DRAWING, area) and not any(overlap(box, other.box) > 0.5 for other in figures):
            figures = [figure for figure in figures if overlap(figure.box, box) < 0.8]
            figures.append(Figure(box, "drawing"))
    figures.sort(key=lambda figure: (figure.box[1], figure.box[0]))
    return figures[:_MOST_FIGURES], False


def _is_figure(box: Box, smallest: float, area: float) -> bool:
    width, height = box[2] - box[0], box[3] - box[1]
    if min(width, height) < smallest or max(width, height) > _MOST_SLENDER * min(width, height):
        return False
    return area_of(box) > _LEAST_SHARE * area


def _drawn(drawings: Drawings, segments: list[Segment], size: tuple[float, float]) -> Iterable[Box]:
    area = size[0] * size[1]
    solid = [box for box in [*drawings.fills, *drawings.frames] if area_of(box) < 0.5 * area]
    pieces = [box for box in drawings.pieces if area_of(box) < _WHOLE_PAGE * area]
    charts, found = list(bar_groups(drawings.fills, segments)), []
    plots, captions = list(curve_plots(drawings)), figure_captions(segments)
    if len(pieces) >= _FEWEST_PIECES or plots or captions:
        regions = _regions([*pieces, *solid], size)
        found = [
            region
            for region in joined_by_arrows(regions, drawings.rulings, size)
            if sum(inside(box, region) for box in pieces) >= _FEWEST_PIECES
        ]
        # its curves and its legend may reach beyond the axes
        around = [[region for region in regions if overlap(region, plot) > _MOSTLY] for plot in plots]
        charts += [reduce(union, parts, plot) for plot, parts in zip(plots, around, strict=True)]
        charts += captioned(regions, [*pieces, *solid], captions)
    charts = [with_labels(_with_axes(chart, drawings), segments) for chart in charts]
    # a chart that is found in both ways is taken with its labels
    for region in [*charts, *found]:
        grown = _with_axes(region, drawings)
        covered = sum(
            (segment.x1 - segment.x0) * (segment.bottom - segment.top)
            for segment in segments
            if inside((segment.x0, segment.top, segment.x1, segment.bottom), grown)
        )
        # A box of running text with round corners or icons in it is no drawing, and what fills the page is decoration.
        if covered < _MOST_COVERED * area_of(grown) and area_of(grown) < _WHOLE_PAGE * area:
            yield grown


def _with_axes(region: Box, drawings: Drawings) -> Box:
    """Grow a region by the lines that touch it, unless they run far out of it."""
    x0, y0, x1, y1 = region
    width, height = x1 - x0, y1 - y0
    for line in drawings.rulings:
        near = line.x0 <= x1 + 8 and line.x1 >= x0 - 8 and line.top <= y1 + 8 and line.bottom >= y0 - 8
        if near and line.x1 - line.x0 <= 1.6 * width and line.bottom - line.top <= 1.6 * height:
            x0, y0, x1, y1 = min(x0, line.x0), min(y0, line.top), max(x1, line.x1), max(y1, line.bottom)
    return (x0, y0, x1, y1)


def _regions(boxes: list[Box], size: tuple[float, float]) -> list[Box]:
    """Return the boxes around groups of boxes that nearly touch each other."""
    columns, rows = int(size[0] / _CELL) + 3, int(size[1] / _CELL) + 3
    grid = np.zeros((rows, columns), dtype=bool)
    for x0, y0, x1, y1 in boxes:
        grid[max(int(y0 / _CELL), 0) : int(y1 / _CELL) + 2, max(int(x0 / _CELL), 0) : int(x1 / _CELL) + 2] = True
    groups: list[list[int]] = []
    seen = np.zeros_like(grid)
    for row, column in zip(*(axis.tolist() for axis in np.nonzero(grid)), strict=True):
        if not seen[row, column]:
            groups.append(_flood(grid, seen, row, column))
    return [_around(boxes, [edge * _CELL for edge in group]) for group in groups]


def _flood(grid: "np.ndarray", seen: "np.ndarray", row: int, column: int) -> list[int]:
    left, top, right, bottom = column, row, column, row
    seen[row, column] = True
    waiting = [(row, column)]
    rows, columns = grid.shape
    while waiting:
        y, x = waiting.pop()
        left, top, right, bottom = min(left, x), min(top, y), max(right, x), max(bottom, y)
        for v, u in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
            if 0 <= v < rows and 0 <= u < columns and grid[v, u] and not seen[v, u]:
                seen[v, u] = True
                waiting.append((v, u))
    return [left, top, right + 1, bottom + 1]


def _around(boxes: list[Box], cells: list[float]) -> Box:
    held = [box for box in boxes if inside(box, (cells[0] - 1, cells[1] - 1, cells[2] + 1, cells[3] + 1))]
    if not held:
        return (cells[0], cells[1], cells[2], cells[3])
    return (min(b[0] for b in held), min(b[1] for b in held), max(b[2] for b in held), max(b[3] for b in held))
