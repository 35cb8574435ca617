"""A source text as a PDF."""

import io
from collections.abc import Callable
from pathlib import Path

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, FrameBreak, NextPageTemplate, PageTemplate, Paragraph

from khub.eval.lab.samples_source.fonts import font_for, markup
from khub.eval.lab.samples_source.markdown_source import Source
from khub.eval.lab.samples_source.pdf_layout import Layout
from khub.eval.lab.samples_source.pdf_scan import scan, with_pictures

_MARGIN = 20 * mm
_BOTTOM = 17 * mm
_GAP = 7 * mm
_TITLE = 18 * mm
_WIDTH = A4[0] - 2 * _MARGIN
_HEIGHT = A4[1] - _BOTTOM - 15 * mm
_PAGE_LINE = {"en": "{title} · Page {page}", "zh": "{title} · 第 {page} 页"}


def write_pdf(source: Source, target: Path, author: str) -> None:
    """Render a source text.

    :param source: the text.
    :param target: the file to write.
    :param author: for the document's metadata.
    """
    pdf = _build(source, author, Canvas)
    if source.scanned:
        pdf = _build(source, author, with_pictures(scan(pdf, source.scanned)))
    target.write_bytes(pdf)


def _build(source: Source, author: str, canvas: type[Canvas]) -> bytes:
    out = io.BytesIO()
    document = BaseDocTemplate(
        out,
        pagesize=A4,
        title=source.title,
        author=author,
        lang="zh-CN" if source.language == "zh" else "en",
        invariant=1,
    )
    foot = _foot(source)
    width = _WIDTH if source.columns == 1 else (_WIDTH - _GAP) / 2
    columns = _columns(source.columns, width, _HEIGHT)
    first = columns if source.columns == 1 else [_frame(0, _HEIGHT - _TITLE, _WIDTH, _TITLE)]
    first += [] if source.columns == 1 else _columns(source.columns, width, _HEIGHT - _TITLE)
    document.addPageTemplates(
        [PageTemplate("first", first, onPageEnd=foot), PageTemplate("later", columns, onPageEnd=foot)]
    )
    layout = Layout(source.language, width, 10.2 if source.columns == 1 else 9.2)
    story: list[Flowable] = [NextPageTemplate("later"), Paragraph(markup(source.title), layout.style("h1"))]
    if source.columns > 1:
        story.append(FrameBreak())
    document.build([*story, *layout.flowables(source.blocks)], canvasmaker=canvas)
    return out.getvalue()


def _frame(x: float, y: float, width: float, height: float) -> Frame:
    pads = dict.fromkeys(("leftPadding", "rightPadding", "topPadding", "bottomPadding"), 0)
    return Frame(_MARGIN + x, _BOTTOM + y, width, height, **pads)


def _columns(count: int, width: float, height: float) -> list[Frame]:
    return [_frame(number * (width + _GAP), 0, width, height) for number in range(count)]


def _foot(source: Source) -> Callable[[Canvas, BaseDocTemplate], None]:
    def draw(canvas: Canvas, document: BaseDocTemplate) -> None:
        line = _PAGE_LINE[source.language].format(title=source.title, page=document.page)
        canvas.setFont(font_for(line), 8)
        canvas.setFillColor(colors.HexColor("#555555"))
        canvas.drawString(_MARGIN, 10 * mm, line)

    return draw
