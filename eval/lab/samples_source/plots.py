"""Parts of figures: text in the right font, boxes, arrows, and axes with ticks, lines, bars and a legend."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reportlab.graphics.shapes import Drawing, Group, Line, Polygon, PolyLine, Rect, String
from reportlab.lib import colors
from reportlab.lib.colors import Color

from khub.eval.lab.samples_source.fonts import font_for

INK = colors.HexColor("#22303c")
GREY = colors.HexColor("#8796a3")
BLUE = colors.HexColor("#1f6fb2")
ORANGE = colors.HexColor("#d9822b")
GREEN = colors.HexColor("#3c8d53")
RED = colors.HexColor("#b83a3a")
PALE = colors.HexColor("#e8eff6")


def text(
    drawing: Drawing,
    x: float,
    y: float,
    string: str,
    size: float = 8,
    anchor: str = "start",
    color: Color = INK,
    bold: bool = False,
) -> None:
    """Put one line of text on a drawing; `anchor` is start, middle or end; `y` is its base line."""
    font = font_for(string, "Helvetica-Bold" if bold else "Helvetica")
    drawing.add(String(x, y, string, fontName=font, fontSize=size, textAnchor=anchor, fillColor=color))


def box(
    drawing: Drawing,
    x: float,
    y: float,
    width: float,
    height: float,
    lines: str,
    size: float = 8,
    fill: Color = PALE,
    stroke: Color = BLUE,
) -> None:
    """Put a rounded box with centred lines of text (separated by line feeds) on a drawing."""
    drawing.add(Rect(x, y, width, height, rx=3, ry=3, fillColor=fill, strokeColor=stroke, strokeWidth=0.8))
    rows = lines.split("\n")
    top = y + height / 2 + (len(rows) - 1) * size * 0.6 - size * 0.35
    for number, row in enumerate(rows):
        text(drawing, x + width / 2, top - number * size * 1.2, row, size, "middle")


def arrow(
    drawing: Drawing, x1: float, y1: float, x2: float, y2: float, color: Color = INK, dashed: bool = False
) -> None:
    """Draw an arrow from the first point to the second."""
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    bx, by = x2 - 5 * dx, y2 - 5 * dy
    dash = [3, 2] if dashed else None
    drawing.add(Line(x1, y1, bx, by, strokeColor=color, strokeWidth=0.9, strokeDashArray=dash))
    head = [x2, y2, bx - 2.4 * dy, by + 2.4 * dx, bx + 2.4 * dy, by - 2.4 * dx]
    drawing.add(Polygon(head, fillColor=color, strokeColor=color, strokeWidth=0.3))


@dataclass(frozen=True)
class Axes:
    """A plot with two linear axes.

    :param drawing: where it is drawn.
    :param x: its left edge in points; `y`, `width` and `height` likewise.
    :param x_range: values at the left and right end; `y_range` at the lower and upper one.
    """

    drawing: Drawing
    x: float
    y: float
    width: float
    height: float
    x_range: tuple[float, float]
    y_range: tuple[float, float]

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return where a pair of values lies on the drawing."""
        across = (x - self.x_range[0]) / (self.x_range[1] - self.x_range[0])
        up = (y - self.y_range[0]) / (self.y_range[1] - self.y_range[0])
        return self.x + across * self.width, self.y + up * self.height

    def frame(
        self, x_label: str, y_label: str, x_ticks: Iterable[tuple[float, str]], y_ticks: Iterable[tuple[float, str]]
    ) -> None:
        """Draw the axes, their labels, and ticks as (value, label)."""
        for value, label in y_ticks:
            _, y = self.at(self.x_range[0], value)
            self.drawing.add(
                Line(self.x, y, self.x + self.width, y, strokeColor=colors.HexColor("#dfe5ea"), strokeWidth=0.5)
            )
            text(self.drawing, self.x - 4, y - 2.5, label, 7, "end")
        for value, label in x_ticks:
            x, _ = self.at(value, self.y_range[0])
            self.drawing.add(Line(x, self.y, x, self.y - 3, strokeColor=INK, strokeWidth=0.6))
            text(self.drawing, x, self.y - 11, label, 7, "middle")
        corner = [self.x, self.y + self.height, self.x, self.y, self.x + self.width, self.y]
        self.drawing.add(PolyLine(corner, strokeColor=INK, strokeWidth=0.8))
        text(self.drawing, self.x + self.width / 2, self.y - 23, x_label, 8, "middle")
        turned = Group(transform=(0, 1, -1, 0, self.x - 29, self.y + self.height / 2))
        turned.add(String(0, 0, y_label, fontName=font_for(y_label), fontSize=8, textAnchor="middle", fillColor=INK))
        self.drawing.add(turned)

    def line(
        self, points: Sequence[tuple[float, float]], color: Color = BLUE, dots: bool = True, dashed: bool = False
    ) -> None:
        """Draw a line through points."""
        flat = [value for point in points for value in self.at(*point)]
        dash = [4, 2] if dashed else None
        self.drawing.add(PolyLine(flat, strokeColor=color, strokeWidth=1.4, strokeDashArray=dash))
        for point in points if dots else []:
            x, y = self.at(*point)
            self.drawing.add(Rect(x - 2, y - 2, 4, 4, fillColor=color, strokeColor=None))

    def bar(self, x: float, y: float, half_width: float, color: Color = BLUE, label: str = "") -> None:
        """Draw a bar of the height `y` around `x`, with a label above it."""
        left, low = self.at(x - half_width, self.y_range[0])
        right, high = self.at(x + half_width, y)
        self.drawing.add(Rect(left, low, right - left, high - low, fillColor=color, strokeColor=None))
        if label:
            text(self.drawing, (left + right) / 2, high + 2.5, label, 7, "middle")

    def legend(self, x: float, y: float, entries: Sequence[tuple[str, Color]]) -> None:
        """Draw a legend whose upper left corner lies at a point of the drawing."""
        for number, (label, color) in enumerate(entries):
            row = y - number * 11
            self.drawing.add(Rect(x, row - 1, 10, 5, fillColor=color, strokeColor=None))
            text(self.drawing, x + 14, row - 1.5, label, 7.5)
