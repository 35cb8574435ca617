"""Blocks that look like headings and stand where none is: in contents, in figures, over columns, at the page's head."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from khub.components.converters.pdf.boxes import area_of, overlap
from khub.components.converters.pdf.drafts import Draft
from khub.components.converters.pdf.leaders import has_leaders
from khub.components.converters.pdf.outline import OutlineEntry, outline_key
from khub.components.converters.pdf.scripts import cjk_share
from khub.components.text.heading_numbers import number_of, without_number

_ENTRY = re.compile(r"(?=.*[^\W\d_])(.*)\s(\d{1,4})")
_FEWEST_ENTRIES = 5
_FEWEST_LEADERS = 3
_LARGEST_FIGURE = 0.35
_MOSTLY = 0.6
_FEWEST_COLUMNS = 3
_SAME_BASELINE = 2.0
_LONGEST_WORD = 5
_RIGHT, _OFF = 0.3, 0.05
_AROUND = re.compile(r"^[\d\s|·§.\-–—]+|[\d\s|·.\-–—]+$")


def misplaced(
    drafts: Sequence[Draft], styled: Sequence[Draft], outline: Sequence[OutlineEntry], larger: float
) -> set[int]:
    """Return the identities of the blocks among `styled` that are no headings.

    :param drafts: of the whole document, in reading order.
    :param styled: those that look like headings.
    :param larger: font size from which on text is set off.
    """
    pages: dict[int, list[Draft]] = defaultdict(list)
    for draft in drafts:
        pages[draft.page].append(draft)
    looks: dict[int, list[Draft]] = defaultdict(list)
    for draft in styled:
        looks[draft.page].append(draft)
    wrong = {id(draft) for draft in _running(pages, looks, outline, larger)}
    wrong.update(id(draft) for draft in (*_leads(styled, larger), *_heads(styled, drafts, larger)))
    for page, here in looks.items():
        for found in (_entries(here, pages[page]), _labels(here, pages[page]), _columns(here)):
            wrong.update(id(draft) for draft in found)
    return wrong


def _entries(styled: Sequence[Draft], page: Sequence[Draft]) -> Iterator[Draft]:
    """Yield the entries of a table of contents: lines that end in a page number, on a page full of such."""
    lines = [line for draft in page for line in _lines(draft)]
    numbers = [int(found[2]) for line in lines if (found := _ENTRY.fullmatch(line))]
    rising = sum(one <= other for one, other in pairwise(numbers)) >= 0.9 * (len(numbers) - 1)
    listed = len(numbers) >= _FEWEST_ENTRIES and rising and 2 * len(numbers) > len(lines)
    if listed or sum(map(has_leaders, lines)) >= _FEWEST_LEADERS:
        yield from (draft for draft in styled if _ENTRY.fullmatch(draft.text))


def _lines(draft: Draft) -> list[str]:
    if draft.table is not None:
        return [" ".join(cell for cell in row if cell) for row in draft.table.rows]
    return [line.text for line in draft.lines]


def _labels(styled: Sequence[Draft], page: Sequence[Draft]) -> Iterator[Draft]:
    """Yield what stands in a figure that is not the ground of the whole page."""
    whole = max((draft.box[2] for draft in page), default=0.0) * max((draft.box[3] for draft in page), default=0.0)
    figures = [draft.box for draft in page if draft.kind == "figure" and area_of(draft.box) < _LARGEST_FIGURE * whole]
    yield from (draft for draft in styled if any(overlap(draft.box, figure) > _MOSTLY for figure in figures))


def _columns(styled: Sequence[Draft]) -> Iterator[Draft]:
    """Yield what stands side by side on one line: heads of columns."""
    for draft in styled:
        beside = [other for other in styled if abs(other.lines[0].baseline - draft.lines[0].baseline) < _SAME_BASELINE]
        if len(beside) >= _FEWEST_COLUMNS:
            yield draft


def _heads(styled: Sequence[Draft], drafts: Sequence[Draft], larger: float) -> Iterator[Draft]:
    """Yield heads of columns left above their table: they begin far right of where it does, and off its middle."""
    places = {id(draft): place for place, draft in enumerate(drafts)}
    for draft in styled:
        below = drafts[min(places[id(draft)] + 1, len(drafts) - 1)]
        left, _, right, _ = below.box
        if below.kind == "table" and _under(draft, below) and draft.size < larger:
            off = abs((draft.box[0] + draft.box[2]) - (left + right)) > 2 * _OFF * (right - left)
            if draft.box[0] > left + _RIGHT * (right - left) and off:
                yield draft


def _under(draft: Draft, below: Draft) -> bool:
    beside = min(draft.box[2], below.box[2]) - max(draft.box[0], below.box[0])
    return draft.page == below.page and beside > 0 and below.box[1] >= draft.box[3] - 1


def _leads(styled: Sequence[Draft], larger: float) -> Iterator[Draft]:
    """Yield what leads in to the text after it: "Note:", or the same words and a colon in several places."""
    leads = [draft for draft in styled if draft.text.endswith((":", "：")) and draft.size < larger]
    counts = Counter(outline_key(draft.text) for draft in leads)
    for draft in leads:
        bare = number_of(draft.text) is None and not draft.text.isupper()
        if bare and (_is_word(draft.text) or counts[outline_key(draft.text)] > 1):
            yield draft


def _is_word(text: str) -> bool:
    return " " not in text and (cjk_share(text) == 0 or len(text) <= _LONGEST_WORD)


def _running(
    pages: dict[int, list[Draft]], styled: dict[int, list[Draft]], outline: Sequence[OutlineEntry], larger: float
) -> Iterator[Draft]:
    """Yield running heads: the first line of a page, no larger than the text, that repeats an earlier heading."""
    named = {_title(entry.title) for entry in outline}
    seen: set[str] = set()
    for page in sorted(styled):
        first = min((draft for draft in pages[page] if draft.lines), key=lambda draft: draft.box[1])
        titles = {id(draft): _title(draft.text) for draft in styled[page]}
        others = {title for draft, title in titles.items() if draft != id(first)}
        if first.size < larger and len(titles.get(id(first), "")) > 1 and titles[id(first)] in seen | named | others:
            yield first
        seen.update(titles.values())


def _title(text: str) -> str:
    return outline_key(without_number(_AROUND.sub("", text)))
