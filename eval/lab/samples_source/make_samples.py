"""Render the PDF, DOCX and XLSX documents of Lantern Robotics from the texts beside this script.

Not needed to use the samples: the rendered files are part of the repository. To render them again, in the root of the
repository::

    pip install reportlab==5.1.0 python-docx==1.2.0 openpyxl==3.1.5 markdown-it-py==4.3.0
    apt-get install fonts-wqy-microhei
    python -m khub.eval.lab.samples_source.make_samples [--font wqy-microhei.ttc] [--out DIRECTORY]

The same library versions give the same bytes: dates and identifiers are fixed. The Chinese PDF embeds the glyphs
it uses of WenQuanYi Micro Hei (Apache License 2.0), so it looks the same on a machine without Chinese fonts. The
Markdown and the HTML sample are written by hand and are not rendered from anything.
"""

import argparse
import csv
import html
import io
from collections.abc import Iterator
from pathlib import Path

from markdown_it.tree import SyntaxTreeNode
from openpyxl import Workbook
from openpyxl.styles import Font, PatternFill
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.properties import PageSetupProperties
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    ListFlowable,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
)

from khub.eval.lab.samples_source.docx_document import write_docx
from khub.eval.lab.samples_source.fixed_zip import FIXED_DATE, write_fixed_zip
from khub.eval.lab.samples_source.fonts import DEFAULT_FONT, register_fonts
from khub.eval.lab.samples_source.markdown_source import Source, markdown_blocks, plain, runs, table_rows

HERE = Path(__file__).resolve().parent
OUT = HERE.parents[1] / "samples"
COMPANY = "Lantern Robotics"
ACCENT = colors.HexColor("#1f4e79")
HEADER_FILL = colors.HexColor("#dde7f0")
TEXT_WIDTH = A4[0] - 40 * mm


# --- PDF ---------------------------------------------------------------------------------------------------------


def pdf_styles(regular: str, bold: str, chinese: bool) -> dict[str, ParagraphStyle]:
    """Return the paragraph styles of a PDF by their name."""
    wrap = {"wordWrap": "CJK"} if chinese else {}
    body = ParagraphStyle("body", fontName=regular, fontSize=10.5, leading=16, spaceAfter=6, **wrap)
    head = {"fontName": bold, "textColor": ACCENT, "keepWithNext": 1, **wrap}
    return {
        "body": body,
        "cell": ParagraphStyle("cell", body, fontSize=9.5, leading=13, spaceAfter=0),
        "cell-head": ParagraphStyle("cell-head", body, fontName=bold, fontSize=9.5, leading=13, spaceAfter=0),
        "h1": ParagraphStyle("h1", fontSize=20, leading=26, spaceAfter=8, **head),
        "h2": ParagraphStyle("h2", fontSize=14, leading=18, spaceBefore=8, spaceAfter=5, **head),
        "h3": ParagraphStyle("h3", fontSize=11, leading=15, spaceBefore=6, spaceAfter=3, **head),
    }


def pdf_text(node: SyntaxTreeNode) -> str:
    """Return the text of a block in the markup of a PDF paragraph."""
    return "".join(f"<b>{html.escape(text)}</b>" if bold else html.escape(text) for text, bold in runs(node))


def pdf_table(table: SyntaxTreeNode, styles: dict[str, ParagraphStyle]) -> Table:
    """Return a PDF table whose columns share the width in proportion to their longest text."""
    rows = table_rows(table)
    widest = [max(len(plain(row[column]).encode("gbk", "replace")) for row in rows) for column in range(len(rows[0]))]
    shares = [min(max(width, 12), 50) for width in widest]
    cells = [
        [Paragraph(pdf_text(cell), styles["cell" if number else "cell-head"]) for cell in row]
        for number, row in enumerate(rows)
    ]
    look = [
        ("GRID", (0, 0), (-1, -1), 0.4, colors.HexColor("#9fb3c5")),
        ("BACKGROUND", (0, 0), (-1, 0), HEADER_FILL),
        ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
        ("TOPPADDING", (0, 0), (-1, -1), 2.2),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 3.2),
    ]
    widths = [TEXT_WIDTH * share / sum(shares) for share in shares]
    return Table(cells, colWidths=widths, style=look, repeatRows=1, spaceBefore=3, spaceAfter=8)


def pdf_flowables(blocks: list[SyntaxTreeNode], styles: dict[str, ParagraphStyle]) -> Iterator[Flowable]:
    """Yield what a PDF shows for each block; a thematic break (``---``) starts a page."""
    for block in blocks:
        if block.type == "heading":
            yield Paragraph(pdf_text(block), styles[block.tag])
        elif block.type == "paragraph":
            yield Paragraph(pdf_text(block), styles["body"])
        elif block.type == "table":
            yield pdf_table(block, styles)
        elif block.type == "hr":
            yield PageBreak()
        else:
            kind = "bullet" if block.type == "bullet_list" else "1"
            items = [Paragraph(pdf_text(item), styles["body"]) for item in block.children]
            font = styles["body"].fontName
            yield ListFlowable(
                items,
                bulletType=kind,
                leftIndent=14,
                bulletFontName=font,
                bulletFontSize=10.5,
                bulletFormat=None if kind == "bullet" else "%s.",
            )
            yield Spacer(1, 3)


def render_pdf(source: str, target: Path, page_line: str, fonts: tuple[str, str], chinese: bool = False) -> None:
    """Render one Markdown source as a PDF with a page line (``{page}``, ``{title}``) at the foot of each page."""
    blocks = markdown_blocks((HERE / source).read_text(encoding="utf-8"))
    title = plain(blocks[0])

    def draw_foot(canvas: Canvas, document: BaseDocTemplate) -> None:
        canvas.setFont(fonts[0], 8)
        canvas.setFillColor(colors.HexColor("#555555"))
        canvas.drawString(20 * mm, 11 * mm, page_line.format(page=document.page, title=title))

    document = BaseDocTemplate(
        str(target), pagesize=A4, title=title, author=COMPANY, lang="zh-CN" if chinese else "en", invariant=1
    )
    frame = Frame(20 * mm, 17 * mm, TEXT_WIDTH, A4[1] - 32 * mm, leftPadding=0, rightPadding=0)
    document.addPageTemplates(PageTemplate(frames=[frame], onPageEnd=draw_foot))
    document.build(list(pdf_flowables(blocks, pdf_styles(*fonts, chinese=chinese))))


# --- DOCX and XLSX -----------------------------------------------------------------------------------------------


def render_docx(source: str, target: Path) -> None:
    """Render one Markdown source as a Word document; its first heading is the title."""
    title, *blocks = markdown_blocks((HERE / source).read_text(encoding="utf-8"))
    write_docx(Source(target.stem, plain(title), "en", "docx", 1, (), blocks), target, COMPANY)


def add_sheet(workbook: Workbook, title: str, source: str) -> None:
    """Add a sheet from a CSV source: a styled header row, numbers as numbers."""
    sheet = workbook.create_sheet(title)
    with (HERE / source).open(encoding="utf-8", newline="") as handle:
        for row in csv.reader(handle):
            sheet.append([typed(cell) for cell in row])
    for cell in sheet[1]:
        cell.font = Font(bold=True)
        cell.fill = PatternFill("solid", fgColor="DDE7F0")
    for number, column in enumerate(sheet.iter_cols(values_only=True), start=1):
        longest = max(len(str(value).encode("gbk", "replace")) for value in column)
        sheet.column_dimensions[get_column_letter(number)].width = longest + 2
    sheet.freeze_panes = "A2"
    sheet.page_setup.orientation, sheet.page_setup.fitToHeight = "landscape", 0
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)


def typed(cell: str) -> str | int:
    """Return a CSV cell as a number where it is one."""
    return int(cell) if cell.isdecimal() else cell


def render_xlsx(target: Path) -> None:
    """Render the price list and the stock list as the two sheets of a workbook."""
    workbook = Workbook()
    workbook.remove(workbook.active)
    add_sheet(workbook, "Price list 2026", "price-list.csv.in")
    add_sheet(workbook, "Stock 2026-03-31", "stock.csv.in")
    workbook.properties.title, workbook.properties.creator = "Price list and stock", COMPANY
    workbook.properties.created = FIXED_DATE
    buffer = io.BytesIO()
    workbook.save(buffer)
    write_fixed_zip(buffer, target)


def main() -> None:
    """Render every sample that has a source."""
    parser = argparse.ArgumentParser(description="Render the sample documents.")
    parser.add_argument("--font", type=Path, default=DEFAULT_FONT, help="wqy-microhei.ttc")
    parser.add_argument("--out", type=Path, default=OUT, help=f"directory to write to (default: {OUT})")
    arguments = parser.parse_args()

    register_fonts(arguments.font)
    render_pdf(
        "ember-300-operator-manual-en.md.in",
        arguments.out / "ember-300-operator-manual-en.pdf",
        "{title} · LR-M-300-EN · Page {page}",
        ("Helvetica", "Helvetica-Bold"),
    )
    render_pdf(
        "travel-policy-zh.md.in",
        arguments.out / "travel-policy-zh.pdf",
        "{title} · LR-HR-021 · 第 {page} 页",
        ("Chinese", "Chinese"),
        chinese=True,
    )
    render_docx("onboarding-and-security-en.md.in", arguments.out / "onboarding-and-security-en.docx")
    render_xlsx(arguments.out / "price-list-and-stock.xlsx")


if __name__ == "__main__":
    main()
