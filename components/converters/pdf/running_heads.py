"""Headers, footers and page numbers that repeat over the pages of a document are taken out, and counted."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from khub.components.converters.pdf.layout import PageLayout, Segment
from khub.components.converters.pdf.lines import Line
from khub.components.converters.pdf.page_edges import EdgeOfPage, lines_at_edges

HEADER_WORDS = "header/footer lines"
NUMBER_WORDS = "page numbers"
_FEWEST_PAGES = 3
_SAME_HEIGHT = 4.0
_COUNTING = 0.5
_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"(?=[ivxlc])c{0,3}(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})", re.IGNORECASE)
_NUMBER = re.compile(
    r"[-–—~·|\[(<\s]*+(?:(?:page|seite|página|p\.|第)\s*+)?(?:[a-z]{1,2}-)?(\d{1,4}|[ivxlc]{1,7})\s*+"
    r"(?:(?:of|/|von|de|sur|共)\s*+(?:\d{1,4}|[ivxlc]{1,7})|页|頁|页\s*+[,，/]?\s*+共\s*+\d++\s*+页)?[-–—~·|\])>\s]*+",
    re.IGNORECASE,
)
_PAGE_NAMED = re.compile(r"\b(?:page|seite|página)\s+(\d{1,4})\b|第\s*(\d{1,4})\s*[页頁]", re.IGNORECASE)
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_Place = tuple[int, int]


class EdgeLine(NamedTuple):
    """A line near the edge of a page, which may be a header, a footer or a page number.

    :param page: index, from 0.
    :param place: its number on the page, from 0.
    :param height: of its baseline over or under the edge; negative where it only may be a page number.
    :param large: whether it is set larger than the text, as a heading is: "Chapter 1" and "Chapter 2" do not repeat.
    :param in_body: whether it stands no further from the text than lines of text do.
    :param in_table: whether it is the line of a table, or of label and value.
    """

    page: int
    place: int
    text: str
    at_top: bool
    height: float
    large: bool = False
    in_body: bool = False
    in_table: bool = False


def edge_lines(page: PageLayout) -> list[tuple[EdgeLine, Line]]:
    """Return the lines near the edges of a page, each with what tells whether it is repeated."""
    return [
        (
            EdgeLine(
                page.index,
                place,
                edge.line.text,
                edge.at_top,
                edge.height,
                edge.large,
                edge.in_body,
                edge.in_table,
            ),
            edge.line,
        )
        for place, edge in enumerate(_candidates(page))
    ]


def remove_running_heads(
    pages: Sequence[PageLayout], own: Sequence[tuple[EdgeLine, Line]], edges: Sequence[EdgeLine], page_count: int
) -> dict[str, int]:
    """Take repeated headers, footers and page numbers out of `pages`.

    A line goes when the same line (digits apart) stands at the same height near the edge of several pages and away from
    their text, or when it is a number that counts with the pages. Where it stands first it stays, set apart from the
    text; lines of a table, or of label and value, stay everywhere. A page never loses all of its text.

    :param pages: all pages of a document, or some.
    :param own: the edge lines of these pages.
    :param edges: the edge lines of all pages.
    :param page_count: of the whole document.
    :returns: how many words went, by kind.
    """
    numbers = _page_numbers(edges, page_count)
    heads = _repeated([each for each in edges if each[:2] not in numbers], page_count)
    first = _first_places([each for each in edges if each[:2] in heads])
    removed = {HEADER_WORDS: 0, NUMBER_WORDS: 0}
    by_page: dict[int, list[tuple[Line, str]]] = defaultdict(list)
    for edge, line in own:
        if edge[:2] in numbers:
            by_page[edge.page].append((line, NUMBER_WORDS))
        elif edge[:2] in first and edge.large:
            continue  # the title of a form or of slides may be said on all of them: its first is a title
        elif edge[:2] in first:
            for segment in line.segments:
                segment.aside = True
        elif edge[:2] in heads:
            by_page[edge.page].append((line, HEADER_WORDS))
    for page in pages:
        _take_out(page, by_page.get(page.index, []), removed)
    return {kind: count for kind, count in removed.items() if count}


def _take_out(page: PageLayout, lines: list[tuple[Line, str]], removed: dict[str, int]) -> None:
    gone = {id(segment) for line, _ in lines for segment in line.segments}
    left = [segment for segment in page.segments if id(segment) not in gone]
    said = any(not segment.aside for segment in left)
    if not lines or not (said or page.figures):
        return
    page.segments = left
    for line, kind in lines:
        removed[kind] += len(line.text.split())


def _candidates(page: PageLayout) -> list[EdgeOfPage]:
    found = lines_at_edges(page)
    return [*found, *_last_number([segment for segment in page.segments if segment.upright], found)]


def _last_number(upright: list[Segment], found: list[EdgeOfPage]) -> list[EdgeOfPage]:
    """Return the last line of a page whose text ends early, when it may be the page's number."""
    if len(upright) < 2:
        return []
    last = max(upright, key=lambda segment: segment.baseline)
    known = any(last is segment for edge in found for segment in edge.line.segments)
    alone = sum(abs(segment.baseline - last.baseline) < 2 for segment in upright) == 1
    if known or not alone or not _NUMBER.fullmatch(last.text):
        return []
    return [EdgeOfPage(Line([last]), False, -1.0, large=False, in_body=False, in_table=False)]


def _key(text: str) -> str:
    return _DIGITS.sub("#", " ".join(text.split()).casefold())


def _page_numbers(edges: Sequence[EdgeLine], page_count: int) -> set[_Place]:
    """Return the places of lines that are numbers which count with the pages."""
    counted: dict[tuple[bool, int], list[EdgeLine]] = defaultdict(list)
    for edge in edges:
        match = _NUMBER.fullmatch(edge.text)
        value = _value(match[1]) if match else None
        if value is not None and not (edge.in_body and edge.in_table):
            counted[edge.at_top, value - edge.page].append(edge)
    numbers: set[_Place] = set()
    for group in counted.values():
        pages = {edge.page for edge in group}
        if len(pages) >= min(_FEWEST_PAGES, max(page_count, 2)):
            numbers.update(edge[:2] for edge in group)
    return numbers


def _value(text: str) -> int | None:
    if text.isdigit():
        return int(text)
    if not _ROMAN.fullmatch(text):
        return None
    values = [_ROMAN_VALUES[letter] for letter in text.casefold()]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))


def _repeated(edges: Sequence[EdgeLine], page_count: int) -> set[_Place]:
    groups: dict[tuple[bool, str], list[EdgeLine]] = defaultdict(list)
    for edge in edges:
        if edge.height >= 0 and not edge.in_table:
            groups[edge.at_top, edge.text if edge.large else _key(edge.text)].append(edge)
    repeated: set[_Place] = set()
    for group in groups.values():
        for bucket in _by_height(group):
            in_body = sum(edge.in_body for edge in bucket)
            if 2 * in_body <= len(bucket) and len({edge.page for edge in bucket}) >= _needed(bucket, page_count):
                repeated.update(edge[:2] for edge in bucket)
    return repeated


def _first_places(heads: Sequence[EdgeLine]) -> set[_Place]:
    """Return where each running head stands first; of one that differs from page to page, the first of all."""
    groups: dict[str, list[EdgeLine]] = defaultdict(list)
    for edge in sorted(heads):
        groups[_key(edge.text)].append(edge)
    first: set[_Place] = set()
    for group in groups.values():
        texts: dict[str, EdgeLine] = {}
        for edge in group:
            texts.setdefault(edge.text.casefold(), edge)
        counts = len(texts) > _COUNTING * len({edge.page for edge in group})
        first.update(edge[:2] for edge in (group[:1] if counts else texts.values()))
    return first


def _needed(bucket: list[EdgeLine], page_count: int) -> int:
    exact = len({edge.text for edge in bucket}) == 1
    if not exact and not any(map(str.isalpha, _key(bucket[0].text))):
        return page_count + 1  # numbers that do not count with the pages are no page numbers
    if page_count < _FEWEST_PAGES + 1:
        return 2 if exact or _names_its_page(bucket) else _FEWEST_PAGES
    # Text in which only digits differ may as well be a numbered series ("Step 1", "Step 2"): it must be frequent.
    return _FEWEST_PAGES if exact else max(_FEWEST_PAGES, round(0.2 * page_count))


def _names_its_page(bucket: list[EdgeLine]) -> bool:
    """Whether each line says its page's number with the word for it, as in "Report, page 2"."""
    found = [(edge, _PAGE_NAMED.search(edge.text)) for edge in bucket]
    offsets = {int(match[1] or match[2]) - edge.page if match else None for edge, match in found}
    return len(offsets) == 1 and None not in offsets


def _by_height(group: list[EdgeLine]) -> list[list[EdgeLine]]:
    buckets: list[list[EdgeLine]] = []
    for edge in sorted(group, key=lambda each: each.height):
        if buckets and edge.height - buckets[-1][-1].height <= _SAME_HEIGHT:
            buckets[-1].append(edge)
        else:
            buckets.append([edge])
    return buckets
