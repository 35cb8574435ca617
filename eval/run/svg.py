"""Small drawings as SVG text, for a page that has to hold everything in itself."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import escape

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # told apart by colour-blind readers, too
SHAPES = ("circle", "square", "triangle", "diamond")  # and on paper without colours
CORNERS: dict[str, list[tuple[float, float]]] = {
    "square": [(-3.5, -3.5), (3.5, -3.5), (3.5, 3.5), (-3.5, 3.5)],
    "triangle": [(0, -4.5), (4.5, 3.5), (-4.5, 3.5)],
    "diamond": [(0, -5), (5, 0), (0, 5), (-5, 0)],
}
WIDTH = 720


@dataclass(frozen=True)
class Scale:
    """A straight line from values to places on the page."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the place of a value."""
        share = (value - self.low) / ((self.high - self.low) or 1.0)
        return round(self.start + share * (self.end - self.start), 2)


def drawing(height: float, parts: Sequence[str], title: str) -> str:
    """Return a whole drawing."""
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(title)}" '
        f'xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )


def line(x1: float, y1: float, x2: float, y2: float, colour: str = "#999", width: float = 1, dashes: str = "") -> str:
    """Return a straight line."""
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{colour}" stroke-width="{width}"{dashed}/>'


def text(x: float, y: float, words: str, anchor: str = "start") -> str:
    """Return words; `anchor` is start, middle or end."""
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(words)}</text>'


def path(points: Sequence[tuple[float, float]], colour: str, dashes: str = "") -> str:
    """Return a line through points."""
    places = " ".join(f"{x},{y}" for x, y in points)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="1.8"{dashed}/>'


def marker(x: float, y: float, number: int) -> str:
    """Return the mark of the series of this number: its own colour and shape."""
    colour, shape = COLOURS[number % len(COLOURS)], SHAPES[number % len(SHAPES)]
    if shape == "circle":
        return f'<circle cx="{x}" cy="{y}" r="4" fill="{colour}"/>'
    places = " ".join(f"{round(x + dx, 2)},{round(y + dy, 2)}" for dx, dy in CORNERS[shape])
    return f'<polygon points="{places}" fill="{colour}"/>'


def legend(names: Sequence[str], y: float, x: float) -> list[str]:
    """Return the names of series beside their marks, one under the other if there are several lines of them."""
    parts = []
    for number, name in enumerate(names):
        place = x + number % 3 * 180
        row = y + number // 3 * 18
        parts += [marker(place, row - 4, number), text(place + 10, row, name if len(name) <= 24 else f"{name[:23]}…")]
    return parts


def colour_of(number: int) -> str:
    """Return the colour of the series of this number."""
    return COLOURS[number % len(COLOURS)]
