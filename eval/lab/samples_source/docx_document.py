"""A source text as a Word document."""

import io
from pathlib import Path

from docx import Document
from docx.document import Document as DocxDocument
from docx.enum.text import WD_BREAK
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Cm, Pt
from docx.text.paragraph import Paragraph
from markdown_it.tree import SyntaxTreeNode

from khub.eval.lab.samples_source.figures import picture
from khub.eval.lab.samples_source.fixed_zip import FIXED_DATE, write_fixed_zip
from khub.eval.lab.samples_source.markdown_source import (
    Source,
    comment,
    figure,
    list_items,
    plain,
    styled_runs,
    table_rows,
)

_FIGURE_WIDTH = Cm(14.5)
_CHINESE_FONT = "Microsoft YaHei"


def write_docx(source: Source, target: Path, author: str) -> None:
    """Render a source text with real heading, list and table styles.

    :param source: the text.
    :param target: the file to write.
    :param author: for the document's metadata.
    """
    document = Document()
    normal = document.styles["Normal"]
    normal.font.size = Pt(10.5)
    if source.language == "zh":
        for style in (normal, *(document.styles[f"Heading {level}"] for level in (1, 2, 3))):
            style.element.get_or_add_rPr().get_or_add_rFonts().set(qn("w:eastAsia"), _CHINESE_FONT)
    document.add_heading(source.title, level=1)
    ruled = True
    for block in source.blocks:
        if comment(block) == "unruled":
            ruled = False
            continue
        _add_block(document, block, ruled)
        ruled = True
    properties = document.core_properties
    properties.title, properties.author, properties.last_modified_by = source.title, author, author
    properties.created = properties.modified = FIXED_DATE
    properties.comments = ""
    buffer = io.BytesIO()
    document.save(buffer)
    write_fixed_zip(buffer, target)


def _add_block(document: DocxDocument, block: SyntaxTreeNode, ruled: bool) -> None:
    if comment(block) == "page":
        document.add_paragraph().add_run().add_break(WD_BREAK.PAGE)
    elif drawn := figure(block):
        document.add_picture(picture(drawn[0]), width=_FIGURE_WIDTH)
        document.add_paragraph(drawn[1], style="Caption")
    else:
        _add_text(document, block, ruled)


def _add_text(document: DocxDocument, block: SyntaxTreeNode, ruled: bool) -> None:
    if block.type == "heading":
        document.add_heading(plain(block), level=int(block.tag[1]))
    elif block.type == "paragraph":
        _add_runs(document.add_paragraph(), block)
    elif block.type == "table":
        _add_table(document, block, ruled)
    elif block.type in {"bullet_list", "ordered_list"}:
        style = "List Bullet" if block.type == "bullet_list" else "List Number"
        for item in list_items(block):
            _add_runs(document.add_paragraph(style=style), item)
    elif block.type == "fence":
        document.add_paragraph().add_run(block.content.rstrip("\n")).font.name = "Courier New"
    elif block.type == "blockquote":
        _add_runs(document.add_paragraph(style="Quote"), block)
    else:
        raise ValueError(f"a Word document cannot show {block.type}: {(block.content or plain(block))[:60]!r}")


def _add_runs(paragraph: Paragraph, node: SyntaxTreeNode) -> None:
    for text, styles in styled_runs(node):
        run = paragraph.add_run(text)
        run.bold = "strong" in styles or None
        run.italic = "em" in styles or None
        if "code" in styles:
            run.font.name = "Courier New"


def _add_table(document: DocxDocument, table: SyntaxTreeNode, ruled: bool) -> None:
    rows = table_rows(table)
    style = "Light Grid Accent 1" if ruled else "Normal Table"
    grid = document.add_table(rows=len(rows), cols=len(rows[0]), style=style)
    grid.rows[0]._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            _add_runs(grid.cell(number, column).paragraphs[0], cell)
    document.add_paragraph()
