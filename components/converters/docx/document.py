"""The body of a Word file as Markdown blocks."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from khub.components.catalog.picture import Picture
from khub.components.converters.docx.blocks import Block, joined_lines, promote_bold_lines
from khub.components.converters.docx.drawings import alternative
from khub.components.converters.docx.numbering import Numbering
from khub.components.converters.docx.paragraphs import ParagraphReader, ParagraphText
from khub.components.converters.docx.spans import TYPED_NUMBER, plain_text, to_markdown
from khub.components.converters.docx.styles import Style, Styles, outline_level, to_int, value
from khub.components.converters.docx.tables import only_cell, read_table
from khub.components.converters.markdown_table import one_line
from khub.components.converters.office.package import NAMES, Package, q
from khub.components.converters.office.pictures import PictureCollector

_CODE_STYLES = {"code", "source code", "html preformatted", "preformatted text", "macro text", "代码", "html 预设格式"}
_CAPTION = re.compile(
    r"(?:figure|fig\.|abb(?:ildung|\.)|image|chart|图|圖|図)\s*[\d一二三四五六七八九十]", re.IGNORECASE
)
_NUMBER = re.compile(r"\d+[.)]")
_MAX_HEADING = 200
_MAX_DEPTH = 30
_NOTE_PARTS = {"footnote": "footnotes", "endnote": "endnotes", "comment": "comments"}
_LONGEST_QUOTED = 80


class DocumentReader:
    """Reads the main part of a Word file.

    :param package: the file.
    """

    def __init__(self, package: Package) -> None:
        self._package = package
        self._part = package.main
        self._styles = Styles(self._related("styles"))
        self._numbering = Numbering(self._related("numbering"))
        self._pictures = PictureCollector()
        self._paragraphs = ParagraphReader(package, self._part, self._styles, self._pictures, self._label_of_note)
        self._notes = {key: note for kind in _NOTE_PARTS for key, note in self._read_notes(kind)}
        self._labels: dict[tuple[str, str], str] = {}
        self._awaited: list[tuple[str, str]] = []
        self._commented: dict[str, str] = {}
        self._indents: list[tuple[int, int]] = []
        self._depth = 0
        self.contents_words = 0

    def read(self) -> tuple[list[Block], list[Picture]]:
        """Read the body.

        :returns: its blocks in order, and the pictures whose marks stand among them, with their captions.
        :raises SourceError: when the file lacks its document.
        """
        body = self._package.main_xml().find(q("w:body"))
        if body is None:
            raise self._package.damaged("it has no body")
        blocks = promote_bold_lines([*self._blocks(body), *self._due_notes()])
        return blocks, _with_captions(self._pictures.pictures, blocks)

    def _related(self, kind: str) -> Any | None:
        parts = self._package.related(self._part, kind)
        return self._package.xml(parts[0]) if parts else None

    def _blocks(self, container: Any) -> Iterator[Block]:
        self._depth += 1
        for element in container if self._depth < _MAX_DEPTH else ():
            if element.tag == q("w:p"):
                yield from self._paragraph(element)
            elif element.tag == q("w:tbl"):
                yield from self._table(element)
            elif element.tag == q("w:sdt"):
                yield from self._control(element)
            elif element.tag == q("mc:AlternateContent"):
                branch = alternative(element)
                yield from self._blocks(branch) if branch is not None else ()
            elif element.tag in {q("w:customXml"), q("w:ins"), q("w:moveTo"), q("w:smartTag"), q("w:sdtContent")}:
                yield from self._blocks(element)
        self._depth -= 1

    def _control(self, control: Any) -> Iterator[Block]:
        gallery = value(control.find("w:sdtPr/w:docPartObj/w:docPartGallery", NAMES))
        content = control.find(q("w:sdtContent"))
        if content is None:
            return
        if gallery == "Table of Contents":
            self.contents_words += sum(len((t.text or "").split()) for t in content.iter(q("w:t")))
            return
        yield from self._blocks(content)

    def _paragraph(self, element: Any) -> Iterator[Block]:
        properties = element.find(q("w:pPr"))
        style = self._styles.of(None if properties is None else value(properties.find(q("w:pStyle"))))
        text = self._paragraphs.read(element)
        if style.is_contents:
            self.contents_words += len(plain_text(text.spans).split())
            return
        block = self._text_block(properties, style, text)
        if block is not None:
            if block.kind in {"heading", "title"}:
                yield from self._due_notes()
            if block.kind != "item":
                self._indents = []
            yield block
        self._awaited += text.notes
        self._commented |= text.commented
        if self._awaited and (block is None or block.kind != "item"):
            yield from self._due_notes()
        for drawn in text.drawn.blocks:
            self._indents = []
            yield Block("figure", drawn)
        for box in text.drawn.boxes:
            yield from self._blocks(box)

    def _text_block(self, properties: Any | None, style: Style, text: ParagraphText) -> Block | None:
        plain = plain_text(text.spans)
        if not plain:
            return None
        level = outline_level(properties)
        level = style.level if level is None else level
        if style.is_title and len(plain) <= _MAX_HEADING:
            return Block("title", f"# {joined_lines(to_markdown(text.spans, emphasis=False))}")
        label, depth = self._number(properties, style)
        if level > 0 and len(plain) <= _MAX_HEADING:
            heading = joined_lines(to_markdown(text.spans, emphasis=False))
            return Block("heading", f"{'#' * min(level, 6)} {f'{label} ' if label else ''}{heading}")
        markdown = to_markdown(text.spans)
        if depth is not None:
            return Block("item", self._item(markdown, label, depth))
        if style.name in _CODE_STYLES:
            return Block("code", "".join(span.text for span in text.spans).rstrip())
        return Block("caption" if style.is_caption else "text", markdown)

    def _number(self, properties: Any | None, style: Style) -> tuple[str | None, int | None]:
        """Return the label (None for a bullet) and the depth (None outside of lists) of a paragraph."""
        own = None if properties is None else properties.find(q("w:numPr"))
        number = value(own.find(q("w:numId"))) if own is not None else None
        number = style.num_id if number is None else number
        if number in {None, "0"} or not self._numbering.knows(number):
            return None, None
        depth = to_int(value(own.find(q("w:ilvl")))) if own is not None else None
        depth = style.list_level if depth is None else depth
        if depth is None:
            depth = max(style.level - 1, 0)
        return self._numbering.label(number or "", depth), depth

    def _item(self, markdown: str, label: str | None, depth: int) -> str:
        while self._indents and self._indents[-1][0] >= depth:
            self._indents.pop()
        indent = " " * sum(width for _, width in self._indents)
        numbered = label is not None and _NUMBER.fullmatch(label)
        mark = f"{label} " if numbered else "" if label is None and TYPED_NUMBER.match(markdown) else "* "
        self._indents.append((depth, len(mark)))
        text = f"{label} {markdown}" if label and not numbered else markdown
        return indent + mark + text.replace("\n", "\n" + indent + " " * len(mark))

    def _table(self, table: Any) -> Iterator[Block]:
        frame = only_cell(table)
        self._indents = []
        if frame is not None:
            yield from self._blocks(frame)
        else:
            marks = len(self._pictures.pictures)
            markdown = read_table(table, self._cell_text)
            if markdown:
                yield Block("table", markdown)
            # A mark has to stand on a line of its own, which a cell does not have.
            for picture in self._pictures.pictures[marks:]:
                yield Block("figure", picture.mark)
        self._indents = []
        yield from self._due_notes()

    def _cell_text(self, cell: Any) -> str:
        indents, self._indents = self._indents, []
        awaited, self._awaited = self._awaited, []
        parts = []
        for block in self._blocks(cell):
            text = block.text.lstrip("# ") if block.kind in {"heading", "title"} else block.text
            if block.kind == "table":
                text = _flat(text)
            if block.kind == "comment":
                text = f"({text})"
            if not (block.kind == "figure" and text.startswith("[IMAGE:")):
                parts.append(re.sub(r"^\s*\* ", "• ", text))
        self._indents, self._awaited = indents, awaited + self._awaited
        return one_line(" ".join(parts))

    def _read_notes(self, kind: str) -> Iterator[tuple[tuple[str, str], tuple[str, Any]]]:
        for part in self._package.related(self._part, _NOTE_PARTS[kind]):
            root = self._package.xml(part)
            for note in () if root is None else root:
                if note.get(q("w:type")) not in {"separator", "continuationSeparator", "continuationNotice"}:
                    yield (kind, note.get(q("w:id")) or ""), (part, note)

    def _label_of_note(self, kind: str, number: str) -> str | None:
        if (kind, number) not in self._notes:
            return None
        return self._labels.setdefault((kind, number), str(len(self._labels) + 1))

    def _due_notes(self) -> Iterator[Block]:
        awaited, self._awaited = dict.fromkeys(self._awaited), []
        for key in awaited:
            if key not in self._notes:
                continue
            part, note = self._notes[key]
            reader = ParagraphReader(self._package, part, self._styles, self._pictures)
            found = [reader.read(paragraph) for paragraph in note.iter(q("w:p"))]
            text = joined_lines(" ".join(to_markdown(one.spans) for one in found))
            if text:
                yield Block("comment" if key[0] == "comment" else "text", f"{self._lead(key, note)}: {text}")

    def _lead(self, key: tuple[str, str], note: Any) -> str:
        if key in self._labels:
            return f"[^{self._labels[key]}]"
        author = f" by {name}" if (name := note.get(q("w:author"))) else ""
        words = joined_lines(self._commented.get(key[1], ""))
        return f"Comment{author}" + (f" on “{words}”" if 0 < len(words) <= _LONGEST_QUOTED else "")


def _flat(table: str) -> str:
    rows = [line.strip("| ") for line in table.splitlines() if line.strip("|- ")]
    return "; ".join(", ".join(cell.strip() for cell in re.split(r"(?<!\\)\|", row)) for row in rows)


def _with_captions(pictures: list[Picture], blocks: list[Block]) -> list[Picture]:
    captions: dict[str, str] = {}
    for index, block in enumerate(blocks):
        if block.kind == "figure" and block.text.startswith("[IMAGE:"):
            beside = [b for b in blocks[index + 1 : index + 3] + blocks[max(index - 1, 0) : index] if b.text]
            captions[block.text] = next((b.text for b in beside if _is_caption(b)), "")
    return [replace(p, caption=captions.get(p.mark, ""), alt=p.alt) for p in pictures]


def _is_caption(block: Block) -> bool:
    return block.kind == "caption" or (block.kind == "text" and bool(_CAPTION.match(block.text.lstrip("*"))))
