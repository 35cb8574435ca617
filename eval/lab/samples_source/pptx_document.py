"""A source text as slides with speaker notes."""

import io
from dataclasses import dataclass, field
from pathlib import Path

from markdown_it.tree import SyntaxTreeNode
from PIL import Image
from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.oxml.ns import qn
from pptx.presentation import Presentation as PptxPresentation
from pptx.slide import Slide
from pptx.text.text import TextFrame
from pptx.util import Emu, Inches, Pt

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

_WIDTH, _HEIGHT = Inches(13.333), Inches(7.5)
_LEFT, _TOP, _BOTTOM = Inches(0.7), Inches(1.45), Inches(7.1)
_ACCENT = RGBColor(0x1F, 0x4E, 0x79)
_TEXT_SIZE, _CELL_SIZE = 20, 15
_TITLE_ONLY = 5


@dataclass
class _Draft:
    title: str
    blocks: list[SyntaxTreeNode] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def write_pptx(source: Source, target: Path, author: str) -> None:
    """Render a source text: a slide with its title and what stands before the first `## `, then one for each of these.

    :param source: the text.
    :param target: the file to write.
    :param author: for the document's metadata.
    """
    show = Presentation()
    show.slide_width, show.slide_height = _WIDTH, _HEIGHT
    for draft in _drafts(source):
        _add_slide(show, draft, source.language)
    properties = show.core_properties
    properties.title, properties.author, properties.last_modified_by = source.title, author, author
    properties.created = properties.modified = FIXED_DATE
    buffer = io.BytesIO()
    show.save(buffer)
    write_fixed_zip(buffer, target)


def _drafts(source: Source) -> list[_Draft]:
    drafts = [_Draft(source.title)]
    for block in source.blocks:
        note = comment(block)
        if block.type == "heading" and block.tag == "h2":
            drafts.append(_Draft(plain(block)))
        elif note is not None and note.startswith("notes:"):
            drafts[-1].notes.append(" ".join(note.removeprefix("notes:").split()))
        elif note is None:
            drafts[-1].blocks.append(block)
        elif note != "page":
            raise ValueError(f"slides do not know the comment {note[:60]!r}")
    return drafts


def _add_slide(show: PptxPresentation, draft: _Draft, language: str) -> None:
    slide = show.slides.add_slide(show.slide_layouts[_TITLE_ONLY])
    title = slide.shapes.title
    title.left, title.top, title.width, title.height = _LEFT, Inches(0.35), _WIDTH - 2 * _LEFT, Inches(0.95)
    title.text_frame.text = draft.title
    _style(title.text_frame, 32, language)
    title.text_frame.paragraphs[0].runs[0].font.color.rgb = _ACCENT
    pictures = [block for block in draft.blocks if figure(block)]
    tables = [block for block in draft.blocks if block.type == "table"]
    texts = [block for block in draft.blocks if block not in pictures and block not in tables]
    wide = _WIDTH - 2 * _LEFT
    text_width = int(wide * 0.46) if texts and (pictures or tables) else wide
    if texts:
        _add_texts(slide, texts, text_width, language)
    left = _LEFT + (text_width + Inches(0.3) if texts else 0)
    for block in pictures:
        _add_picture(slide, block, left, _WIDTH - _LEFT - left)
    for block in tables:
        _add_table(slide, block, left, _WIDTH - _LEFT - left, language)
    if draft.notes:
        slide.notes_slide.notes_text_frame.text = "\n".join(draft.notes)


def _add_texts(slide: Slide, blocks: list[SyntaxTreeNode], width: int, language: str) -> None:
    frame = slide.shapes.add_textbox(_LEFT, _TOP, Emu(width), Emu(_BOTTOM - _TOP)).text_frame
    frame.word_wrap = True
    lines: list[tuple[SyntaxTreeNode, str]] = []
    for block in blocks:
        if block.type in {"bullet_list", "ordered_list"}:
            marks = ("• " if block.type == "bullet_list" else f"{number}. " for number in range(1, 100))
            lines += zip(list_items(block), marks, strict=False)
        else:
            lines.append((block, ""))
    for number, (node, mark) in enumerate(lines):
        paragraph = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
        paragraph.space_after = Pt(8)
        if node.type == "fence":
            run = paragraph.add_run()
            run.text, run.font.name = node.content.rstrip("\n"), "Courier New"
            continue
        for text, styles in [(mark, frozenset()), *styled_runs(node)]:
            if text:
                run = paragraph.add_run()
                run.text, run.font.bold = text, "strong" in styles
    _style(frame, _TEXT_SIZE, language)


def _add_picture(slide: Slide, block: SyntaxTreeNode, left: int, width: int) -> None:
    name, caption = figure(block) or ("", "")
    image = picture(name)
    across, down = Image.open(image).size
    image.seek(0)
    factor = min(width / across, (_BOTTOM - _TOP) / down)
    shape = slide.shapes.add_picture(image, Emu(left), _TOP, Emu(int(across * factor)), Emu(int(down * factor)))
    shape._element._nvXxPr.cNvPr.set("descr", caption)


def _add_table(slide: Slide, block: SyntaxTreeNode, left: int, width: int, language: str) -> None:
    rows = table_rows(block)
    height = Emu(Inches(0.4) * len(rows))
    shape = slide.shapes.add_table(len(rows), len(rows[0]), Emu(left), _TOP, Emu(width), height)
    longest = [max(len(plain(row[column]).encode("gbk", "replace")) for row in rows) for column in range(len(rows[0]))]
    shares = [min(max(length, 8), 40) for length in longest]
    for number, share in enumerate(shares):
        shape.table.columns[number].width = Emu(int(width * share / sum(shares)))
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            frame = shape.table.cell(number, column).text_frame
            frame.text = plain(cell)
            _style(frame, _CELL_SIZE, language)


def _style(frame: TextFrame, size: int, language: str) -> None:
    for paragraph in frame.paragraphs:
        for run in paragraph.runs:
            run.font.size = Pt(size)
            if language == "zh":
                properties = run._r.get_or_add_rPr()
                properties.set("lang", "zh-CN")
                wide = properties.makeelement(qn("a:ea"), {"typeface": "Microsoft YaHei"})
                properties.append(wide)
