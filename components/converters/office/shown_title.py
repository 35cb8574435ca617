"""The title that the first page or slide of an Office file shows: its largest lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from khub.components.converters.document_title import sensible_title
from khub.components.text.title_lines import (
    PARTED,
    can_be_title,
    has_kind,
    is_kind,
    is_organisation,
    is_section,
    says_little,
)

_MOST_LINES = 4
_SMALLEST = 0.4
_LONGEST = 120
"""Characters of a line above which it is running text."""


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line of a cover.

    :param size: of its letters, in any unit; 0 for what is as large as running text.
    """

    text: str
    size: float


def shown_title(lines: Sequence[ShownLine]) -> str | None:
    """Return the first of the largest lines, with those of the same size that go on above and below it.

    One or two words, or no more than a company, are joined with the lines around them, down to half their size.

    :param lines: of the cover, in reading order.
    """
    sizes = [line.size if _is_able(lines, place) else 0 for place, line in enumerate(lines)]
    largest = max(sizes, default=0)
    if not largest:
        return None
    places = range(0)
    for smallest in sorted({size for size in sizes if size >= _SMALLEST * largest}, reverse=True):
        places = _around(sizes, sizes.index(largest), smallest)
        if not says_little(_joined(lines, places)):
            break
    title = _joined(lines, _with_kind(lines, places))
    return None if is_organisation(title) else sensible_title(title)


def _with_kind(lines: Sequence[ShownLine], places: range) -> range:
    """Add the line below a title that says which kind of document it is, where the title does not."""
    below = places.stop
    lacks = below < len(lines) and not has_kind(_joined(lines, places))
    return range(places.start, below + 1) if lacks and is_kind(lines[below].text) else places


def _is_able(lines: Sequence[ShownLine], place: int) -> bool:
    """Whether a line may be part of a title; "Chapter 13" may, below another line of its size."""
    line = lines[place]
    goes_on = place > 0 and lines[place - 1].size == line.size and is_section(line.text)
    return len(line.text) <= _LONGEST and (goes_on or can_be_title(line.text))


def _around(sizes: Sequence[float], place: int, smallest: float) -> range:
    """Return the places of the lines of at least a size that stand together with one."""
    first = last = place
    while first and sizes[first - 1] >= smallest and last - first < _MOST_LINES - 1:
        first -= 1
    while last + 1 < len(sizes) and sizes[last + 1] >= smallest and last - first < _MOST_LINES - 1:
        last += 1
    return range(first, last + 1)


def _joined(lines: Sequence[ShownLine], places: range) -> str:
    runs = groupby((lines[place] for place in places), lambda line: line.size)
    return PARTED.join(_together([line.text for line in run]) for _, run in runs)


def _together(texts: Sequence[str]) -> str:
    joined = texts[0]
    for text in texts[1:]:
        joined += ("" if ord(joined[-1]) > 0x2E7F and ord(text[0]) > 0x2E7F else " ") + text
    return joined
