"""Headers, footers and page numbers that repeat over the pages of a document are taken out, and counted."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from components.converters.pdf.layout import PageLayout, Segment
from components.converters.pdf.lines import Line, to_lines

HEADER_WORDS = "header/footer lines"
NUMBER_WORDS = "page numbers"
_ZONE = 0.13
_LINES_IN_ZONE = 4
_FEWEST_PAGES = 3
_SAME_HEIGHT = 4.0
_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"(?=[ivxlc])c{0,3}(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})", re.IGNORECASE)
_NUMBER = re.compile(
    r"[-–—~·|\[(<\s]*(?:page|seite|página|p\.|第)?\s*(?:[a-z]{1,2}-)?(\d{1,4}|[ivxlc]{1,7})\s*"
    r"(?:(?:of|/|von|de|sur|共)\s*(?:\d{1,4}|[ivxlc]{1,7})|页|頁|页\s*[,，/]?\s*共\s*\d+\s*页)?[-–—~·|\])>\s]*",
    re.IGNORECASE,
)
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


@dataclass(slots=True)
class _Candidate:
    page: int
    line: Line
    key: str
    at_top: bool
    height: float


def remove_running_heads(pages: Sequence[PageLayout]) -> dict[str, int]:
    """Take repeated headers, footers and page numbers out of `pages`.

    A line goes when the same line (digits apart) stands at the same height near the edge of several pages, or when it
    is a number that counts with the pages. A page never loses all of its text.

    :returns: how many words went, by kind.
    """
    candidates = [candidate for page in pages for candidate in _candidates(page)]
    numbers = _page_numbers(candidates, len(pages))
    heads = _repeated([each for each in candidates if id(each.line) not in numbers], pages)
    removed = {HEADER_WORDS: 0, NUMBER_WORDS: 0}
    by_page: dict[int, list[tuple[Line, str]]] = defaultdict(list)
    for candidate in candidates:
        if id(candidate.line) in numbers:
            by_page[candidate.page].append((candidate.line, NUMBER_WORDS))
        elif id(candidate.line) in heads:
            by_page[candidate.page].append((candidate.line, HEADER_WORDS))
    for page in pages:
        _take_out(page, by_page.get(page.index, []), removed)
    return {kind: count for kind, count in removed.items() if count}


def _take_out(page: PageLayout, lines: list[tuple[Line, str]], removed: dict[str, int]) -> None:
    gone = {id(segment) for line, _ in lines for segment in line.segments}
    left = [segment for segment in page.segments if id(segment) not in gone]
    if not lines or not (left or page.figures):
        return
    page.segments = left
    for line, kind in lines:
        removed[kind] += len(line.text.split())


def _candidates(page: PageLayout) -> list[_Candidate]:
    found: list[_Candidate] = []
    limit = _ZONE * page.height
    upright = [segment for segment in page.segments if segment.angle == 0]
    for at_top in (True, False):
        near = [s for s in upright if (s.bottom < limit if at_top else s.top > page.height - limit)]
        lines = [part for line in to_lines(near) for part in _parts(line)]
        lines = sorted(lines, key=lambda line: line.baseline, reverse=not at_top)
        heights = sorted({round(line.baseline) for line in lines}, reverse=not at_top)[:_LINES_IN_ZONE]
        found.extend(
            _Candidate(
                page.index, line, _key(line.text), at_top, line.baseline if at_top else page.height - line.baseline
            )
            for line in lines
            if round(line.baseline) in heights
        )
    return [*found, *_last_number(page, upright, found)]


def _last_number(page: PageLayout, upright: list[Segment], found: list[_Candidate]) -> list[_Candidate]:
    """Return the last line of a page whose text ends early, when it may be the page's number."""
    if len(upright) < 2:
        return []
    last = max(upright, key=lambda segment: segment.baseline)
    known = any(last is segment for candidate in found for segment in candidate.line.segments)
    alone = sum(abs(segment.baseline - last.baseline) < 2 for segment in upright) == 1
    if known or not alone or not _NUMBER.fullmatch(last.text):
        return []
    return [_Candidate(page.index, Line([last]), _key(last.text), False, -1.0)]


def _parts(line: Line) -> list[Line]:
    """Return the line's segments apart where they stand far from each other: a title left, a page number right."""
    parts: list[list[Segment]] = []
    for segment in sorted(line.segments, key=lambda each: each.x0):
        if parts and segment.x0 - parts[-1][-1].x1 < 3 * segment.size:
            parts[-1].append(segment)
        else:
            parts.append([segment])
    return [Line(part) for part in parts]


def _key(text: str) -> str:
    return _DIGITS.sub("#", " ".join(text.split()).casefold())


def _page_numbers(candidates: list[_Candidate], page_count: int) -> set[int]:
    """Return the ids of lines that are numbers which count with the pages."""
    counted: dict[tuple[bool, int], list[_Candidate]] = defaultdict(list)
    for candidate in candidates:
        match = _NUMBER.fullmatch(candidate.line.text)
        value = _value(match[1]) if match else None
        if value is not None:
            counted[candidate.at_top, value - candidate.page].append(candidate)
    numbers: set[int] = set()
    for group in counted.values():
        pages = {candidate.page for candidate in group}
        if len(pages) >= min(_FEWEST_PAGES, max(page_count, 2)):
            numbers.update(id(candidate.line) for candidate in group)
    return numbers


def _value(text: str) -> int | None:
    if text.isdigit():
        return int(text)
    if not _ROMAN.fullmatch(text):
        return None
    values = [_ROMAN_VALUES[letter] for letter in text.casefold()]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))


def _repeated(candidates: list[_Candidate], pages: Sequence[PageLayout]) -> set[int]:
    groups: dict[tuple[bool, str], list[_Candidate]] = defaultdict(list)
    for candidate in candidates:
        if candidate.height >= 0:
            groups[candidate.at_top, candidate.key].append(candidate)
    repeated: set[int] = set()
    for group in groups.values():
        for bucket in _by_height(group):
            if len({candidate.page for candidate in bucket}) >= _needed(bucket, len(pages)):
                repeated.update(id(candidate.line) for candidate in bucket)
    return repeated


def _needed(bucket: list[_Candidate], page_count: int) -> int:
    exact = len({candidate.line.text for candidate in bucket}) == 1
    if not exact and not any(map(str.isalpha, bucket[0].key)):
        return page_count + 1  # numbers that do not count with the pages are no page numbers
    if page_count < _FEWEST_PAGES + 1:
        return 2 if exact else _FEWEST_PAGES
    # Text in which only digits differ may as well be a numbered series ("Step 1", "Step 2"): it must be frequent.
    return _FEWEST_PAGES if exact else max(_FEWEST_PAGES, round(0.2 * page_count))


def _by_height(group: list[_Candidate]) -> list[list[_Candidate]]:
    buckets: list[list[_Candidate]] = []
    for candidate in sorted(group, key=lambda each: each.height):
        if buckets and candidate.height - buckets[-1][-1].height <= _SAME_HEIGHT:
            buckets[-1].append(candidate)
        else:
            buckets.append([candidate])
    return buckets
