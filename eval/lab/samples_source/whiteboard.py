"""A whiteboard, drawn as by hand: for the page that is in the handbook as a scan only."""

import random
from itertools import pairwise

from reportlab.graphics.shapes import Drawing, Group, PolyLine, Rect, String
from reportlab.lib import colors
from reportlab.lib.colors import Color

_BLACK = colors.HexColor("#22262b")
_RED = colors.HexColor("#a02525")
_PEN = "Times-Italic"


def whiteboard_budget() -> Drawing:
    """Draw the budget of a query, stage by stage, with remarks."""
    drawing = Drawing(470, 590)
    hand = random.Random(7)
    drawing.add(Rect(2, 2, 466, 586, rx=8, ry=8, fillColor=colors.white, strokeColor=colors.grey, strokeWidth=3))
    _write(drawing, hand, 30, 545, "QUERY BUDGET   400 ms at p95", 24)
    _stroke(drawing, hand, 30, 536, 380, 536)
    stages = [("understand", "5"), ("dense leg (embed 25 + search 60)", "85"), ("join + rank", "15")]
    stages += [("rerank, 50 candidates", "210"), ("answer", "40"), ("SLACK", "45")]
    for number, (name, budget) in enumerate(stages):
        y = 492 - number * 46
        color = _RED if name == "SLACK" else _BLACK
        _box(drawing, hand, 32, y - 10, 300, 34, color)
        _write(drawing, hand, 44, y, name, 17, color)
        _write(drawing, hand, 352, y, f"{budget} ms", 20, color)
    _stroke(drawing, hand, 340, 244, 430, 244)
    _write(drawing, hand, 336, 220, "= 400 ms", 20)
    _write(drawing, hand, 32, 214, "sparse leg: 40 ms, runs beside dense,", 15)
    _write(drawing, hand, 32, 196, "so it costs nothing", 15)
    _write(drawing, hand, 32, 150, "IF rerank > 250 ms: skip it, say 'degraded'", 18, _RED)
    _write(drawing, hand, 32, 118, "owner of rerank: Ines      load test: Tomasz, 40 req/s", 16)
    _write(drawing, hand, 32, 86, "OPEN: can 30 candidates do?  (saves about 84 ms)", 16)
    _write(drawing, hand, 32, 46, "next look: 14 May, bring the traces!", 18)
    return drawing


def _write(
    drawing: Drawing, hand: random.Random, x: float, y: float, words: str, size: float, ink: Color = _BLACK
) -> None:
    slope = hand.uniform(-0.012, 0.02)
    group = Group(transform=(1, slope, 0, 1, x, y))
    group.add(String(0, 0, words, fontName=_PEN, fontSize=size, fillColor=ink))
    drawing.add(group)


def _stroke(
    drawing: Drawing, hand: random.Random, x1: float, y1: float, x2: float, y2: float, ink: Color = _BLACK
) -> None:
    steps = 8
    points: list[float] = []
    for step in range(steps + 1):
        share = step / steps
        points += [x1 + (x2 - x1) * share + hand.uniform(-1, 1), y1 + (y2 - y1) * share + hand.uniform(-1, 1)]
    drawing.add(PolyLine(points, strokeColor=ink, strokeWidth=1.8))


def _box(drawing: Drawing, hand: random.Random, x: float, y: float, width: float, height: float, ink: Color) -> None:
    corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y)]
    for (x1, y1), (x2, y2) in pairwise(corners):
        _stroke(drawing, hand, x1, y1, x2, y2, ink)
