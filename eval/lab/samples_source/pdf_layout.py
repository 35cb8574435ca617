"""Blocks of a source text as what a PDF shows."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from markdown_it.tree import SyntaxTreeNode
from reportlab.graphics.shapes import Drawing
from reportlab.lib import colors
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import Flowable, KeepTogether, ListFlowable, PageBreak, Paragraph, Spacer, Table, XPreformatted

from khub.eval.lab.samples_source.figures import draw
from khub.eval.lab.samples_source.fonts import WIDE, font_for, markup
from khub.eval.lab.samples_source.markdown_source import comment, figure, list_items, plain, styled_runs, table_rows

ACCENT = colors.HexColor("#1f4e79")
LINES = colors.HexColor("#9fb3c5")
HEADER_FILL = colors.HexColor("#dde7f0")
CODE_FILL = colors.HexColor("#f3f5f7")
_LEAST_CELL = 24


@dataclass(frozen=True)
class Layout:
    """How a document is set.

    :param language: `en` or `zh`.
    :param width: of a column, in points.
    :param size: of the body text, in points.
    """

    language: str
    width: float
    size: float

    def style(self, name: str) -> ParagraphStyle:
        """Return a paragraph style: body, cell, head-cell, item, quote, code, caption, h1, h2 or h3."""
        chinese = self.language == "zh"
        regular, bold = (WIDE, WIDE) if chinese else ("Helvetica", "Helvetica-Bold")
        wrap = {"wordWrap": "CJK"} if chinese else {}
        size, line = self.size, 1.52 if chinese else 1.38
        body = ParagraphStyle(
            "body", fontName=regular, fontSize=size, leading=size * line, spaceAfter=size * 0.6, **wrap
        )
        small = {"fontSize": size - 1, "leading": (size - 1) * 1.32, "spaceAfter": 0}
        head = {"fontName": bold, "textColor": ACCENT, "keepWithNext": 1, **wrap}
        own: dict[str, dict[str, Any]] = {
            "cell": small,
            "head-cell": {**small, "fontName": bold},
            "item": {"spaceAfter": size * 0.25},
            "quote": {"leftIndent": 9, "textColor": colors.HexColor("#333f4a"), "borderPadding": 3},
            "code": {
                "fontName": "Courier",
                "fontSize": size - 1.7,
                "leading": (size - 1.7) * 1.3,
                "backColor": CODE_FILL,
                "borderPadding": 4,
                "spaceBefore": 5,
                "spaceAfter": 9,
                "wordWrap": None,
            },
            "caption": {"fontSize": size - 1.2, "leading": (size - 1.2) * 1.3, "textColor": colors.HexColor("#444444")},
            "h1": {"fontSize": 19, "leading": 25, "spaceAfter": 8, **head},
            "h2": {"fontSize": size + 3, "leading": size + 7, "spaceBefore": 8, "spaceAfter": 4, **head},
            "h3": {"fontSize": size + 0.8, "leading": size + 4.5, "spaceBefore": 5, "spaceAfter": 3, **head},
        }
        return body if name == "body" else ParagraphStyle(name, body, **own[name])

    def text(self, node: SyntaxTreeNode) -> str:
        """Return the text of a block in the markup of a paragraph."""
        parts = []
        for text, styles in styled_runs(node):
            part = "<br/>" if text == "\n" else markup(text)
            if "code" in styles and font_for(text) != WIDE:
                part = f'<font name="Courier" size="{self.size - 0.7:.1f}">{part}</font>'
            if "strong" in styles:
                part = f'<font color="#1f4e79">{part}</font>' if self.language == "zh" else f"<b>{part}</b>"
            if "em" in styles and self.language == "en":
                part = f"<i>{part}</i>"
            parts.append(part)
        return "".join(parts)

    def paragraph(self, node: SyntaxTreeNode, style: str) -> Paragraph:
        """Return a block as a paragraph."""
        return Paragraph(self.text(node), self.style(style))

    def table(self, block: SyntaxTreeNode, ruled: bool) -> Table:
        """Return a table whose columns share the width by their text; without rules there is nothing but text."""
        rows = table_rows(block)
        cells = [
            [self.paragraph(cell, "cell" if row else "head-cell") for cell in cells] for row, cells in enumerate(rows)
        ]
        look: list[tuple[Any, ...]] = [("TOPPADDING", (0, 0), (-1, -1), 2), ("BOTTOMPADDING", (0, 0), (-1, -1), 3)]
        look += [("VALIGN", (0, 0), (-1, -1), "TOP" if not ruled else "MIDDLE"), ("LEFTPADDING", (0, 0), (-1, -1), 4)]
        look += [("RIGHTPADDING", (0, 0), (-1, -1), 4)]
        if ruled:
            look += [("GRID", (0, 0), (-1, -1), 0.4, LINES), ("BACKGROUND", (0, 0), (-1, 0), HEADER_FILL)]
        return Table(
            cells, colWidths=self._widths(rows), style=look, repeatRows=1, spaceBefore=3, spaceAfter=9, hAlign="LEFT"
        )

    def _widths(self, rows: list[list[SyntaxTreeNode]]) -> list[float]:
        size = self.size - 1

        def wide(text: str) -> float:
            return float(stringWidth(text, font_for(text, "Helvetica-Bold"), size)) + 10

        texts = [[plain(row[column]) for row in rows] for column in range(len(rows[0]))]
        wanted = [max(_LEAST_CELL, *(wide(text) for text in column)) for column in texts]
        least = [
            max(_LEAST_CELL, *(wide(word) for text in column for word in _unbroken(text, self.language)))
            for column in texts
        ]
        if sum(wanted) <= self.width:
            return wanted
        spare = max(self.width - sum(least), 0)
        missing = [want - low for want, low in zip(wanted, least, strict=True)]
        return [low + spare * gap / sum(missing) for low, gap in zip(least, missing, strict=True)]

    def figure(self, name: str, caption: str) -> Flowable:
        """Return a figure with its caption, as wide as the column at most."""
        drawing = draw(name)
        drawing.hAlign = "LEFT"
        return KeepTogether(
            [_fitted(drawing, self.width), Paragraph(markup(caption), self.style("caption")), Spacer(1, 4)]
        )

    def code(self, text: str) -> Flowable:
        """Return a block of code."""
        return XPreformatted(markup(text.rstrip("\n")), self.style("code"))

    def items(self, block: SyntaxTreeNode) -> Flowable:
        """Return a list."""
        numbered = block.type == "ordered_list"
        return ListFlowable(
            [self.paragraph(item, "item") for item in list_items(block)],
            bulletType="1" if numbered else "bullet",
            leftIndent=self.size * 1.5,
            bulletFontName="Helvetica",
            bulletFontSize=self.size - (0 if numbered else 2),
            bulletFormat="%s." if numbered else None,
            start=int(block.attrs.get("start", 1)) if numbered else None,
        )

    def flowables(self, blocks: list[SyntaxTreeNode]) -> Iterator[Flowable]:
        """Yield what is shown for each block.

        :raises ValueError: for a block or a comment that is not known.
        """
        ruled = True
        for block in blocks:
            note, drawn = comment(block), figure(block)
            if note == "unruled":
                ruled = False
                continue
            if note == "page":
                yield PageBreak()
            elif drawn:
                yield self.figure(*drawn)
            elif block.type == "table":
                yield self.table(block, ruled)
            else:
                yield from self._texts(block)
            ruled = True

    def _texts(self, block: SyntaxTreeNode) -> Iterator[Flowable]:
        if block.type == "heading":
            yield self.paragraph(block, block.tag)
        elif block.type == "paragraph":
            yield self.paragraph(block, "body")
        elif block.type in {"bullet_list", "ordered_list"}:
            yield self.items(block)
            yield Spacer(1, 4)
        elif block.type == "fence":
            yield self.code(block.content)
        elif block.type == "blockquote":
            yield self.paragraph(block, "quote")
        else:
            raise ValueError(f"a PDF cannot show {block.type}: {(block.content or plain(block))[:60]!r}")


def _unbroken(text: str, language: str) -> list[str]:
    """Return the parts of a cell that are not broken over lines; Chinese breaks anywhere, but not in a short cell."""
    return text.split() if language == "en" else [word[:4] for word in text.split()]


def _fitted(drawing: Drawing, width: float) -> Drawing:
    factor = min(1.0, width / drawing.width)
    drawing.scale(factor, factor)
    drawing.width, drawing.height = drawing.width * factor, drawing.height * factor
    return drawing
