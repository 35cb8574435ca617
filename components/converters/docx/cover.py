"""The title on the first page of a Word file, by the size of its letters."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Any

from khub.components.converters.document_title import sensible_title
from khub.components.converters.docx.styles import Styles, is_on, outline_level, to_int, value
from khub.components.converters.office.package import NAMES, Package, q
from khub.components.converters.office.shown_title import ShownLine, shown_title
from khub.components.text.title_lines import chapter_of, is_section, says_little

_LINES = 30
"""Lines of a document among which a cover is looked for."""
_BEGINNING = 3
"""Lines at the beginning among which the heading of a chapter names the whole."""
_WORD = re.compile(r"[^\W_]")
_LARGER = 1.1
_USUAL = 20
"""Size of letters in half points where a file says none."""
_APART = {q("w:tbl"), q("w:del"), q("w:moveFrom"), q("mc:Fallback"), q("w:instrText")}
_TITLE, _HEADING, _TEXT = 3, 2, 1


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    size: int
    rank: int
    numbered: bool
    marked: bool


class Cover:
    """Looks for the title that a Word file shows.

    :param package: the file.
    """

    def __init__(self, package: Package) -> None:
        self._body = package.main_xml().find(q("w:body"))
        parts = package.related(package.main, "styles")
        root = package.xml(parts[0]) if parts else None
        self._styles = Styles(root)
        self._sizes = {} if root is None else {one.get(q("w:styleId")): one for one in root.iter(q("w:style"))}
        default = None if root is None else root.find("w:docDefaults/w:rPrDefault/w:rPr/w:sz", NAMES)
        self._usual = to_int(value(default)) or _USUAL

    def title(self) -> str | None:
        """Return the title: what has the style of one, else headings and larger letters above the first section."""
        lines = list(self._lines())
        front = _front(lines[:_LINES])
        least, rank = _LARGER * _body_size(lines), max((line.rank for line in front), default=_TEXT)
        large = [line.rank == rank if rank == _TITLE else _stands_out(line, least) for line in front]
        if not any(large):
            marked = list(takewhile(lambda line: line.marked and not line.text.endswith("."), front))
            large[: len(marked)] = [True] * len(marked)
        shown = [ShownLine(line.text, line.size * is_large) for line, is_large in zip(front, large, strict=True)]
        return shown_title(shown) or _only_chapter(lines)

    def beginning(self) -> list[str]:
        """Return the lines of the first page."""
        return [line.text for line in islice(self._lines(), _LINES)]

    def _lines(self) -> Iterator[_Line]:
        for paragraph in () if self._body is None else _paragraphs(self._body):
            text = " ".join("".join(_texts(paragraph)).split())
            properties = paragraph.find(q("w:pPr"))
            style_id = None if properties is None else value(properties.find(q("w:pStyle")))
            style = self._styles.of(style_id)
            if _WORD.search(text) and not style.is_contents:
                level = outline_level(properties)
                heads = (style.level if level is None else level) > 0
                rank = _TITLE if style.is_title else _HEADING if heads else _TEXT
                numbered, marked = heads and style.num_id is not None, _is_marked(paragraph, style.bold)
                yield _Line(text, self._size(paragraph, style_id), rank, numbered, marked)

    def _size(self, paragraph: Any, style_id: str | None) -> int:
        """Return the size of most of its letters."""
        sizes: Counter[int] = Counter()
        of_style = self._style_size(style_id)
        for run in paragraph.iter(q("w:r")):
            size = to_int(value(run.find("w:rPr/w:sz", NAMES))) or of_style
            sizes[size] += sum(len(text.text or "") for text in run.findall(q("w:t")))
        return sizes.most_common(1)[0][0] if sizes else of_style

    def _style_size(self, style_id: str | None) -> int:
        seen: set[str] = set()
        while style_id and style_id in self._sizes and style_id not in seen:
            seen.add(style_id)
            style = self._sizes[style_id]
            if size := to_int(value(style.find("w:rPr/w:sz", NAMES))):
                return size
            style_id = value(style.find(q("w:basedOn")))
        return self._usual


def _front(lines: Sequence[_Line]) -> list[_Line]:
    """Return what stands before the first section; "Chapter 13" as one of several lines of a title is none."""
    largest = 0
    front: list[_Line] = []
    for line in lines:
        begins = line.numbered or (is_section(line.text) and (line.rank > _TEXT or not front))
        if begins and line.size != largest:
            break
        largest = max(largest, line.size)
        front.append(line)
    return front


def _only_chapter(lines: Sequence[_Line]) -> str | None:
    """Return the heading of the chapter that a document begins with, if it has no other and nothing is larger."""
    numbers = {number for line in lines if (number := chapter_of(line.text))}
    place = next((place for place, line in enumerate(lines[:_BEGINNING]) if chapter_of(line.text)), None)
    if place is None or len(numbers) > 1 or any(line.size > lines[place].size for line in lines):
        return None
    last = place + says_little(lines[place].text)
    return sensible_title(" ".join(line.text for line in lines[place : last + 1]))


def _stands_out(line: _Line, least: float) -> bool:
    return line.rank == _HEADING or line.size >= least


def _is_marked(paragraph: Any, bold: bool) -> bool:
    """Whether a paragraph is centred, or all of it bold."""
    if value(paragraph.find("w:pPr/w:jc", NAMES)) == "center":
        return True
    looks = [run.find("w:rPr/w:b", NAMES) for run in paragraph.iter(q("w:r")) if run.find(q("w:t")) is not None]
    return all(bold if look is None else is_on(look.get(q("w:val"), "1")) for look in looks)


def _body_size(lines: Sequence[_Line]) -> int:
    sizes: Counter[int] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else _USUAL


def _paragraphs(container: Any) -> Iterator[Any]:
    for element in container:
        if element.tag == q("w:p"):
            yield element
        if element.tag not in _APART and not _is_contents(element):
            yield from _paragraphs(element)


def _is_contents(element: Any) -> bool:
    gallery = element.find("w:sdtPr/w:docPartObj/w:docPartGallery", NAMES) if element.tag == q("w:sdt") else None
    return value(gallery) == "Table of Contents"


def _texts(container: Any) -> Iterator[str]:
    for element in container:
        if element.tag == q("w:t"):
            yield element.text or ""
        elif element.tag in {q("w:tab"), q("w:br")}:
            yield " "
        elif element.tag not in _APART and element.tag != q("w:txbxContent"):
            yield from _texts(element)
