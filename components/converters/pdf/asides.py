"""What is set apart from the text of a page: a mark across it, a line up its margin; said once in the document."""

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from khub.components.converters.pdf.layout import Figure, PageLayout, Segment

ASIDE_WORDS = "repeated watermarks and lines in the margin"
_LARGER = 2.0
_INK_TOP, _INK_BOTTOM = 0.68, 0.02
_MIDDLE = 0.25
_CROSSED = 0.5
_MARGIN = 0.12


class AsideLine(NamedTuple):
    """A line set apart from the text, which may stand on other pages, too.

    :param page: index, from 0.
    :param place: its number on the page, from 0.
    """

    page: int
    place: int
    text: str


def set_overlays_apart(segments: Sequence[Segment]) -> None:
    """Set large words apart that lines of the text run through: a mark behind it or over it.

    :param segments: of a page; changed in place.
    """
    level = [segment for segment in segments if segment.upright]
    usual = median([segment.size for segment in level]) if level else 0.0
    for mark in [segment for segment in level if segment.size >= _LARGER * usual]:
        through = [s for s in level if s.size < mark.size / _LARGER and _runs_through(s, mark)]
        covered = max((min(s.x1, mark.x1) - max(s.x0, mark.x0) for s in through), default=0.0)
        mark.aside = covered > _CROSSED * (mark.x1 - mark.x0)


def _runs_through(line: Segment, mark: Segment) -> bool:
    middle = line.baseline - _MIDDLE * line.size
    within = mark.baseline - _INK_TOP * mark.size < middle < mark.baseline - _INK_BOTTOM * mark.size
    return within and min(line.x1, mark.x1) > max(line.x0, mark.x0)


def aside_lines(page: PageLayout) -> list[tuple[AsideLine, Segment]]:
    """Return the marks across a page and the lines up its margins; the words of figures are none."""
    marks = [segment for segment in page.segments if not segment.upright and _may_repeat(segment, page)]
    return [
        (AsideLine(page.index, place, " ".join(mark.text.split()).casefold()), mark) for place, mark in enumerate(marks)
    ]


def remove_repeated_asides(
    pages: Sequence[PageLayout], own: Sequence[tuple[AsideLine, Segment]], lines: Sequence[AsideLine]
) -> int:
    """Take out of `pages` what was set apart with the same words before.

    :param pages: all pages of a document, or some.
    :param own: the lines of these pages.
    :param lines: those of all pages.
    :returns: how many words went.
    """
    first: dict[str, AsideLine] = {}
    for line in sorted(lines):
        first.setdefault(line.text, line)
    gone = {id(mark): len(mark.text.split()) for line, mark in own if first[line.text] != line}
    for page in pages:
        page.segments = [segment for segment in page.segments if id(segment) not in gone]
    return sum(gone.values())


def _may_repeat(mark: Segment, page: PageLayout) -> bool:
    if any(_is_in(mark, figure) for figure in page.figures):
        return False
    x, y = (mark.x0 + mark.x1) / (2 * page.width), (mark.top + mark.bottom) / (2 * page.height)
    at_margin = not _MARGIN < x < 1 - _MARGIN or not _MARGIN < y < 1 - _MARGIN
    return mark.aside or mark.angle % 90 != 0 or at_margin


def _is_in(mark: Segment, figure: Figure) -> bool:
    x, y = (mark.x0 + mark.x1) / 2, (mark.top + mark.bottom) / 2
    return figure.box[0] <= x <= figure.box[2] and figure.box[1] <= y <= figure.box[3]
