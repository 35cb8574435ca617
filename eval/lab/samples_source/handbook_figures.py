"""Figures of the English documents: each function returns one drawing; the data are those of the document's text."""

import math

from reportlab.graphics.shapes import Drawing, Line, Rect

from khub.eval.lab.samples_source.plots import BLUE, GREEN, GREY, INK, ORANGE, PALE, RED, Axes, arrow, box, text
from khub.eval.lab.samples_source.whiteboard import whiteboard_budget

__all__ = ["whiteboard_budget"]


def chunk_overlap() -> Drawing:
    """Three windows over a text, and the sentence that straddles the first border."""
    drawing = Drawing(470, 128)

    def at(offset: float) -> float:
        return 20 + offset * 430 / 2100

    drawing.add(Rect(at(0), 96, at(2100) - at(0), 12, fillColor=PALE, strokeColor=GREY))
    drawing.add(Rect(at(720), 96, at(860) - at(720), 12, fillColor=ORANGE, strokeColor=None))
    text(drawing, at(790), 113, "one sentence, 720 to 860", 7.5, "middle", ORANGE)
    for number, start in enumerate((0, 650, 1300)):
        y = 70 - number * 22
        drawing.add(Rect(at(start), y, at(start + 800) - at(start), 14, fillColor=BLUE, strokeColor=None))
        if number:
            drawing.add(Rect(at(start), y, at(start + 150) - at(start), 14, fillColor=GREEN, strokeColor=None))
            text(drawing, at(start) + 3, y + 4, "150", 7, color=PALE)
        label = f"chunk {number + 1}: {start} to {start + 800}"
        text(drawing, at(start + (475 if number else 400)), y + 4, label, 7.5, "middle", PALE)
    for offset in range(0, 2101, 300):
        drawing.add(Line(at(offset), 14, at(offset), 18, strokeColor=INK, strokeWidth=0.6))
        text(drawing, at(offset), 5, str(offset), 7, "middle")
    drawing.add(Line(at(0), 18, at(2100), 18, strokeColor=INK, strokeWidth=0.6))
    return drawing


def chunk_size_recall() -> Drawing:
    """Recall@5 by chunk size, for two kinds of questions."""
    drawing = Drawing(470, 200)
    sizes = (200, 400, 800, 1600, 3200)
    axes = Axes(drawing, 50, 38, 290, 150, (0, 4), (0.3, 1.0))
    axes.frame(
        "chunk size (characters)",
        "recall@5",
        [(number, str(size)) for number, size in enumerate(sizes)],
        [(tenth / 10, f"{tenth / 10:.1f}") for tenth in range(3, 11)],
    )
    axes.line(list(enumerate((0.71, 0.83, 0.88, 0.84, 0.69))), BLUE)
    axes.line(list(enumerate((0.42, 0.55, 0.68, 0.76, 0.74))), ORANGE)
    axes.legend(360, 170, [("facts", BLUE), ("explanations", ORANGE)])
    return drawing


def bm25_saturation() -> Drawing:
    """Plot the term frequency part of BM25 for three values of k1, at average length."""
    drawing = Drawing(235, 178)
    axes = Axes(drawing, 40, 36, 185, 118, (0, 20), (0, 3))
    axes.frame(
        "occurrences f in the document",
        "f (k1 + 1) / (f + k1)",
        [(f, str(f)) for f in (0, 5, 10, 15, 20)],
        [(v, f"{v:.1f}") for v in (0, 1, 2, 3)],
    )
    for k1, color in ((0.5, GREEN), (1.2, BLUE), (2.0, ORANGE)):
        axes.line([(f / 2, f / 2 * (k1 + 1) / (f / 2 + k1)) for f in range(41)], color, dots=False)
    axes.legend(48, 168, [("k1 = 2.0", ORANGE)])
    axes.legend(112, 168, [("k1 = 1.2", BLUE)])
    axes.legend(176, 168, [("k1 = 0.5", GREEN)])
    return drawing


def rrf_contributions() -> Drawing:
    """Stacked bars: what each leg gives to the fused score."""
    drawing = Drawing(235, 178)
    axes = Axes(drawing, 42, 36, 183, 118, (0.4, 4.6), (0, 0.036))
    axes.frame(
        "document",
        "RRF score",
        list(enumerate("PQRS", start=1)),
        [(v / 100, f"{v / 100:.2f}") for v in (0, 1, 2, 3)],
    )
    for place, (dense, sparse) in enumerate(((1, 9), (3, 4), (2, None), (None, 1)), start=1):
        low = 1 / (60 + dense) if dense else 0.0
        total = low + (1 / (60 + sparse) if sparse else 0.0)
        axes.bar(place, total, 0.3, ORANGE)
        if low:
            axes.bar(place, low, 0.3, BLUE)
    axes.legend(60, 168, [("dense", BLUE)])
    axes.legend(130, 168, [("sparse", ORANGE)])
    return drawing


def coverage_crossing() -> Drawing:
    """Scores of four documents by coverage, under the convex combination of the text."""
    drawing = Drawing(235, 178)
    axes = Axes(drawing, 40, 36, 185, 118, (0, 1), (0, 1))
    axes.frame(
        "coverage of the query's terms",
        "score",
        [(v / 4, f"{v / 4:.2f}") for v in range(5)],
        [(v / 4, f"{v / 4:.2f}") for v in range(5)],
    )
    documents = (("P", 1.0, 0.5, BLUE), ("Q", 0.65, 1.0, ORANGE), ("R", 0.0, 0.8, GREEN), ("S", 0.8, 0.0, RED))
    for number, (name, sparse, dense, color) in enumerate(documents):
        axes.line([(c / 10, 0.08 * c * sparse + (1 - 0.08 * c) * dense) for c in range(11)], color, dots=False)
        axes.legend(60 + number * 42, 168, [(name, color)])
    return drawing


def rank_weights() -> Drawing:
    """Reciprocal rank and nDCG discount for the ranks 1 to 10."""
    drawing = Drawing(470, 190)
    axes = Axes(drawing, 50, 38, 290, 140, (1, 10), (0, 1))
    axes.frame(
        "rank of the passage",
        "weight",
        [(rank, str(rank)) for rank in range(1, 11)],
        [(v / 5, f"{v / 5:.1f}") for v in range(6)],
    )
    axes.line([(rank, 1 / rank) for rank in range(1, 11)], BLUE)
    axes.line([(rank, 1 / math.log2(rank + 1)) for rank in range(1, 11)], ORANGE)
    axes.legend(356, 165, [("1 / rank", BLUE), ("1 / log2(rank + 1)", ORANGE)])
    return drawing


def fan_out_tail() -> Drawing:
    """Share of slow requests by the number of parts waited for."""
    drawing = Drawing(470, 190)
    axes = Axes(drawing, 50, 38, 330, 140, (0, 100), (0, 70))
    axes.frame(
        "parts that one request waits for",
        "slow requests, %",
        [(n, str(n)) for n in range(0, 101, 10)],
        [(v, str(v)) for v in range(0, 71, 10)],
    )
    axes.line([(n, 100 * (1 - 0.99**n)) for n in range(101)], RED, dots=False)
    return drawing


def span_tree() -> Drawing:
    """Show the spans of one request on a time line."""
    drawing = Drawing(470, 178)
    axes = Axes(drawing, 78, 34, 380, 132, (0, 350), (0, 7))
    axes.frame("milliseconds since the request began", "", [(t, str(t)) for t in range(0, 351, 50)], [])
    spans = (
        ("query", 0, 318, GREY),
        ("understand", 0, 4, BLUE),
        ("dense", 4, 92, BLUE),
        ("sparse", 4, 41, GREEN),
        ("rank", 92, 100, BLUE),
        ("rerank", 100, 312, ORANGE),
        ("answer", 312, 318, BLUE),
    )
    for number, (name, start, end, color) in enumerate(spans):
        left, low = axes.at(start, 6.15 - number)
        right, _ = axes.at(end, 0)
        drawing.add(Rect(left, low, max(right - left, 1.5), 12, fillColor=color, strokeColor=None))
        text(drawing, 72, low + 3, name, 8, "end")
        text(drawing, right + 4, low + 3, f"{end - start} ms", 7.5)
    return drawing


def bi_and_cross_encoder() -> Drawing:
    """Show what meets where in a bi-encoder and in a cross-encoder."""
    drawing = Drawing(470, 165)
    text(drawing, 105, 150, "Bi-encoder", 10, "middle", bold=True)
    box(drawing, 10, 20, 80, 24, "question")
    box(drawing, 120, 20, 80, 24, "passage")
    box(drawing, 10, 70, 80, 24, "encoder", fill=PALE, stroke=GREEN)
    box(drawing, 120, 70, 80, 24, "encoder", fill=PALE, stroke=GREEN)
    box(drawing, 65, 116, 80, 24, "cosine", stroke=ORANGE)
    for x in (50, 160):
        arrow(drawing, x, 44, x, 70)
    arrow(drawing, 50, 94, 92, 116)
    arrow(drawing, 160, 94, 118, 116)
    text(drawing, 105, 5, "passages encoded once, beforehand", 8, "middle")
    text(drawing, 350, 150, "Cross-encoder", 10, "middle", bold=True)
    box(drawing, 265, 20, 170, 24, "question [SEP] passage")
    box(drawing, 265, 70, 170, 24, "encoder: all words see all words", stroke=GREEN)
    box(drawing, 310, 116, 80, 24, "relevance", stroke=ORANGE)
    arrow(drawing, 350, 44, 350, 70)
    arrow(drawing, 350, 94, 350, 116)
    text(drawing, 350, 5, "one run for each pair, at query time", 8, "middle")
    return drawing


def rerank_depth() -> Drawing:
    """Gain and cost of reranking more candidates (example data)."""
    drawing = Drawing(470, 190)
    depths = (10, 20, 50, 100, 200)
    axes = Axes(drawing, 50, 38, 290, 140, (-0.4, 4.4), (60, 80))
    axes.frame(
        "candidates that are reranked",
        "nDCG@10",
        [(number, str(depth)) for number, depth in enumerate(depths)],
        [(v, str(v)) for v in range(60, 81, 5)],
    )
    axes.line(list(enumerate((66.0, 70.5, 74.8, 75.6, 75.7))), BLUE)
    for number, cost in enumerate(("35 ms", "68 ms", "165 ms", "330 ms", "655 ms")):
        x, y = axes.at(number, (66.0, 70.5, 74.8, 75.6, 75.7)[number])
        text(drawing, x, y + 7, cost, 7.5, "middle", ORANGE)
    axes.legend(356, 165, [("quality", BLUE), ("time at this depth", ORANGE)])
    return drawing


def hub_graphs() -> Drawing:
    """Draw the two graphs of the hub."""
    drawing = Drawing(470, 230)
    text(drawing, 8, 212, "pipelines/ingest.yaml", 9, bold=True)
    for number, name in enumerate(("check", "convert", "ocr", "split", "embed", "write")):
        box(drawing, 8 + number * 77, 172, 60, 26, name, 9)
        if number:
            arrow(drawing, 68 + (number - 1) * 77, 185, 8 + number * 77, 185)
    text(drawing, 8, 132, "pipelines/query.yaml", 9, bold=True)
    box(drawing, 4, 62, 72, 26, "understand", 9)
    box(drawing, 98, 94, 54, 26, "dense", 9)
    box(drawing, 98, 30, 54, 26, "sparse", 9)
    box(drawing, 178, 62, 46, 26, "join", 9)
    box(drawing, 250, 62, 46, 26, "rank", 9)
    box(drawing, 322, 62, 58, 26, "interact", 9)
    box(drawing, 406, 62, 58, 26, "answer", 9)
    for start, end in (((76, 80), (98, 104)), ((76, 70), (98, 46)), ((152, 104), (178, 80)), ((152, 46), (178, 70))):
        arrow(drawing, *start, *end)
    for left, right in ((224, 250), (296, 322), (380, 406)):
        arrow(drawing, left, 75, right, 75)
    arrow(drawing, 152, 112, 270, 88, GREY, dashed=True)
    arrow(drawing, 152, 38, 270, 62, GREY, dashed=True)
    text(drawing, 216, 14, "dashed: each leg's own scores", 8, color=GREY)
    return drawing


def candidate_funnel() -> Drawing:
    """How many passages each stage of the query graph passes on."""
    drawing = Drawing(300, 215)
    stages = (
        ("dense 30 + sparse 30", 260),
        ("join: 30 to 60", 210),
        ("rank: at most 30", 160),
        ("interact: at most 20", 115),
        ("answer: 5 cited", 70),
    )
    for number, (label, width) in enumerate(stages):
        box(drawing, 150 - width / 2, 178 - number * 43, width, 28, label, 9, stroke=ORANGE if number == 4 else BLUE)
        if number:
            arrow(drawing, 150, 221 - number * 43, 150, 206 - number * 43)
    return drawing
