"""Paths and images of a page: ruling lines, filled boxes, pieces of drawings, image places."""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, field

import pypdfium2.raw as pdfium

from khub.components.converters.blocks import Box
from khub.components.converters.pdf import pdfium_calls as calls
from khub.components.converters.pdf.deadline import Deadline
from khub.components.converters.pdf.layout import Ruling
from khub.components.converters.pdf.page_space import PageSpace

_THIN = 3.0
_SHORTEST = 5.0
_DEEPEST = 6
_MOST_OBJECTS = 60_000
_MOST_POINTS = 600
_BOX_POINTS = 6
_STRAIGHT = 0.7
_WHITE = 250
_DOT, _DOT_SIDE = 7.0, 1.2
_BEZIER = pdfium.FPDF_SEGMENT_BEZIERTO
_MOVE = pdfium.FPDF_SEGMENT_MOVETO
Matrix = tuple[float, float, float, float, float, float]


@dataclass(slots=True)
class ImagePlace:
    """An image object and where it is shown."""

    handle: int
    box: Box
    upright: bool


@dataclass(slots=True)
class Drawings:
    """What is drawn on a page besides text, as shown.

    :param frames: boxes that are drawn around.
    :param swatches: frames that are filled with a colour.
    :param pieces: boxes of paths that are neither straight lines nor plain boxes.
    :param dots: boxes of shapes so small that they may be bullets.
    """

    rulings: list[Ruling] = field(default_factory=list)
    fills: list[Box] = field(default_factory=list)
    frames: list[Box] = field(default_factory=list)
    swatches: list[Box] = field(default_factory=list)
    pieces: list[Box] = field(default_factory=list)
    images: list[ImagePlace] = field(default_factory=list)
    dots: list[Box] = field(default_factory=list)


class DrawingReader:
    """Reads the paths and images of one page.

    :param page: pypdfium2's raw handle.
    :param space: where the page's coordinates lead.
    """

    def __init__(self, page: object, space: PageSpace, deadline: Deadline) -> None:
        self._page = calls.address(page)
        self._space = space
        self._deadline = deadline
        self._sides = [ctypes.c_float() for _ in range(4)]
        self._at = [ctypes.addressof(side) for side in self._sides]
        self._matrix = pdfium.FS_MATRIX()
        self._modes = (ctypes.c_int(), ctypes.c_int())
        self._left = _MOST_OBJECTS
        self.found = Drawings()

    def read(self) -> Drawings:
        """Return all drawings."""
        count = calls.page_object_count(self._page)
        self._walk((calls.page_object(self._page, index) for index in range(count)), None, 0)
        return self.found

    def _walk(self, objects: Iterator[int | None], matrix: Matrix | None, depth: int) -> None:
        for handle in objects:
            self._left -= 1
            if self._left < 0:
                return
            if self._left % 500 == 0:
                self._deadline.check()
            if not handle:
                continue
            kind = calls.object_type(handle)
            if kind == pdfium.FPDF_PAGEOBJ_PATH:
                self._path(handle, matrix)
            elif kind == pdfium.FPDF_PAGEOBJ_IMAGE:
                self._image(handle, matrix)
            elif kind == pdfium.FPDF_PAGEOBJ_SHADING:
                box = self._bounds(handle, matrix)
                if box:
                    self.found.pieces.append(box)
            elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _DEEPEST:
                own = self._matrix_of(handle)
                count = calls.form_object_count(handle)
                nested = (calls.form_object(handle, index) for index in range(max(count, 0)))
                self._walk(nested, _times(own, matrix), depth + 1)

    def _matrix_of(self, handle: int) -> Matrix:
        m = self._matrix
        if not calls.object_matrix(handle, ctypes.addressof(m)):
            return (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
        return (m.a, m.b, m.c, m.d, m.e, m.f)

    def _bounds(self, handle: int, matrix: Matrix | None) -> Box | None:
        if not calls.object_bounds(handle, *self._at):
            return None
        left, bottom, right, top = (side.value for side in self._sides)
        if matrix is not None:
            corners = [_apply(matrix, x, y) for x in (left, right) for y in (bottom, top)]
            left, right = min(x for x, _ in corners), max(x for x, _ in corners)
            bottom, top = min(y for _, y in corners), max(y for _, y in corners)
        x0, y0, x1, y1 = self._space.box(left, bottom, right, top)
        width, height = self._space.size
        if x1 < 0 or y1 < 0 or x0 > width or y0 > height:
            return None
        return (max(x0, 0.0), max(y0, 0.0), min(x1, width), min(y1, height))

    def _image(self, handle: int, matrix: Matrix | None) -> None:
        box = self._bounds(handle, matrix)
        if box:
            a, b, c, d, _, _ = _times(self._matrix_of(handle), matrix)
            upright = a > 0 and d > 0 and abs(b) + abs(c) < 0.01 * (a + d) and self._space.rotation == 0
            self.found.images.append(ImagePlace(handle, box, upright))

    def _path(self, handle: int, matrix: Matrix | None) -> None:
        fill, stroke = self._modes
        known = calls.path_mode(handle, ctypes.addressof(fill), ctypes.addressof(stroke))
        if not known or not (fill.value or stroke.value):
            return
        box = self._bounds(handle, matrix)
        if box is None:
            return
        if self._small(box):
            return
        count = calls.path_count(handle)
        if count > _MOST_POINTS:
            self.found.pieces.append(box)
            return
        lines = self._straight_lines(handle, count, _times(self._matrix_of(handle), matrix))
        if lines is None:
            self.found.pieces.append(box)
        else:
            if count <= _BOX_POINTS:
                self._box(handle, box, bool(fill.value), bool(stroke.value))
            if count > _BOX_POINTS or stroke.value:
                for line in lines:
                    self._ruling(line)

    def _box(self, handle: int, box: Box, filled: bool, drawn: bool) -> None:
        """Take a plain box: a ground, or a frame around something."""
        coloured = filled and not self._is_white(handle)
        if drawn or not filled:
            self.found.frames.append(box)
            if coloured:
                self.found.swatches.append(box)
        elif coloured:
            self.found.fills.append(box)

    def _small(self, box: Box) -> bool:
        """Take a path that is a dot or a line by its box alone."""
        width, height = box[2] - box[0], box[3] - box[1]
        if max(width, height) <= _DOT and min(width, height) > max(_DOT_SIDE, 0.6 * max(width, height)):
            self.found.dots.append(box)
            return True
        if min(width, height) <= _THIN:
            self._ruling(box)
            return True
        return False

    def _is_white(self, handle: int) -> bool:
        colors = [ctypes.c_uint() for _ in range(4)]
        known = calls.object_fill(handle, *(ctypes.addressof(color) for color in colors))
        return bool(known) and min(color.value for color in colors[:3]) > _WHITE

    def _ruling(self, box: Box) -> None:
        x0, top, x1, bottom = box
        if x1 - x0 >= max(bottom - top, _SHORTEST):
            y = round((top + bottom) / 2, 1)
            self.found.rulings.append(Ruling(round(x0, 1), y, round(x1, 1), y))
        elif bottom - top >= _SHORTEST:
            x = round((x0 + x1) / 2, 1)
            self.found.rulings.append(Ruling(x, round(top, 1), x, round(bottom, 1)))

    def _straight_lines(self, handle: int, count: int, matrix: Matrix) -> list[Box] | None:
        """Return the path's lines, or None when one of them is a curve or slanted."""
        lines: list[Box] = []
        x, y = self._sides[0], self._sides[1]
        start = last = (0.0, 0.0)
        for index in range(count):
            segment = calls.path_segment(handle, index)
            kind = calls.segment_type(segment)
            if kind == _BEZIER:
                return None
            calls.segment_point(segment, self._at[0], self._at[1])
            point = self._space.point(*_apply(matrix, x.value, y.value))
            if kind == _MOVE:
                start = point
            elif not self._add_line(lines, last, point):
                return None
            last = point
            if calls.segment_close(segment):
                if not self._add_line(lines, last, start):
                    return None
                last = start
        return lines

    @staticmethod
    def _add_line(lines: list[Box], one: tuple[float, float], other: tuple[float, float]) -> bool:
        (x0, y0), (x1, y1) = one, other
        if min(abs(x1 - x0), abs(y1 - y0)) > _STRAIGHT:
            return False
        lines.append((min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)))
        return True


def _apply(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _times(one: Matrix, other: Matrix | None) -> Matrix:
    """Return the matrix that applies `one` first, then `other`."""
    if other is None:
        return one
    a, b, c, d, e, f = one
    p, q, r, s, t, u = other
    return (a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u)
