"""The title of a PDF: what its metadata says, where its first pages say it too, else what they print largest."""

from collections import Counter
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise, takewhile

from khub.components.converters.document_title import best_title, sensible_title, with_topic
from khub.components.converters.pdf.drafts import Draft
from khub.components.converters.pdf.scripts import join
from khub.components.text.report_title import report_title
from khub.components.text.title_lines import (
    PARTED,
    can_be_title,
    chapter_of,
    goes_on,
    has_kind,
    is_kind,
    is_organisation,
    is_section,
    says_little,
)

_PAGES = 2
"""Pages with text on which a title is looked for."""
_RUNNING_TEXT = 4
"""Lines of a paragraph from which on it is running text, below which no title is looked for."""
_MOST_LINES = 6
"""Lines of a title that was taken for a paragraph."""
_LARGER = 1.3
"""What is so much larger than most text may be a title, whatever it was taken for."""
_ASIDE = 1.1
_SHORT = 2
"""Lines of what may stand between the parts of a title."""
_SAME_SIZE = 0.04
_SMALL_CAPITALS = 0.75
_SMALLEST = 0.4
"""Share of its size down to which a short title is joined with other lines."""
_MOST_PARTS = 3


def pdf_title(drafts: Sequence[Draft], given: str | None) -> str | None:
    """Return the title of a document.

    :param drafts: of the whole document, in reading order, with their headings set.
    :param given: from the document's metadata.
    """
    first = sorted({draft.page for draft in drafts if draft.lines})[:_PAGES]
    lines = [line.text for draft in drafts if draft.page in first for line in draft.lines]
    printed = printed_title(drafts)
    can_be_read = printed or 1 in first
    title = report_title(lines) or best_title(given, printed, " ".join(lines) if can_be_read else "")
    return with_topic(title, lines)


def printed_title(drafts: Sequence[Draft]) -> str | None:
    """Return the most prominent headings above the running text of the first page that has any.

    A cover with several lines of one size (an authority, the kind of the document, who it is about) gives all of them,
    as far as only short lines stand between. A title stands before the first section: behind a numbered heading, or
    that of a part which any document has (contents, abstract), none is looked for; a document that begins with its only
    chapter is that chapter. One or two words ("User Manual"), or no more than a company, are joined with the lines of
    the next size, or give way to a larger heading further down.

    :param drafts: of the whole document, in reading order, with their headings set.
    """
    front = _front(drafts)
    usual = _usual_size(drafts)
    for page in range(1, _PAGES + 1):
        whole = [draft for draft in front if draft.page == page]
        above = _above_text(whole, usual)
        title = _prominent(above, usual)
        if title:
            title = _prominent(whole, usual) if says_little(title) else title
            return None if is_organisation(title) else sensible_title(title)
        if len(above) < len(whole):
            return None
    return _only_chapter(drafts)


def _only_chapter(drafts: Sequence[Draft]) -> str | None:
    """Return the heading of the chapter that a document begins with, if it has no other."""
    begins = next((draft for draft in drafts if draft.lines), None)
    headings = [draft for draft in drafts if draft.kind == "heading"]
    chapters = {chapter_of(draft.text) for draft in headings} - {None}
    if begins is None or begins.kind != "heading" or len(chapters) != 1 or chapter_of(begins.text) is None:
        return None
    return sensible_title(_joined(headings, _places(headings, headings, begins.size)[:2]))


def _front(drafts: Sequence[Draft]) -> list[Draft]:
    """Return what stands before the first section; one of a column aside ("Contents") is none: the title is larger."""
    front: list[Draft] = []
    for place, draft in enumerate(drafts):
        if draft.page > _PAGES:
            break
        if draft.kind == "heading" and is_section(draft.text) and not _goes_on(drafts, place):
            below = (other for other in drafts[place + 1 :] if other.page == draft.page)
            if not any(other.kind == "heading" and other.size >= _ASIDE * draft.size for other in below):
                break
        front.append(draft)
    return front


def _goes_on(drafts: Sequence[Draft], place: int) -> bool:
    """Whether a line is not the last one of a title: it ends in a colon or a comma, and the next one is as large."""
    draft, below = drafts[place], drafts[place + 1 : place + 2]
    is_first = goes_on(draft.text) and len(draft.lines) <= _SHORT
    return is_first and any(
        other.kind == "heading" and _same_size(other, draft) and can_be_title(other.text) for other in below
    )


def _same_size(one: Draft, other: Draft) -> bool:
    return abs(one.size - other.size) <= _SAME_SIZE * other.size


def _above_text(drafts: Sequence[Draft], usual: float) -> list[Draft]:
    """Return what stands on a page above its running text."""
    text = [draft.box[1] for draft in drafts if _is_running_text(draft, usual)]
    return [draft for draft in drafts if draft.box[1] < min(text)] if text else list(drafts)


def _is_running_text(draft: Draft, usual: float) -> bool:
    """Whether a block is text to be read: an address has lines that somebody broke, and a title is larger."""
    is_long = draft.kind == "paragraph" and len(draft.lines) >= _RUNNING_TEXT
    return is_long and draft.size < _LARGER * usual and sum(draft.hard) <= len(draft.hard) / 2


def _usual_size(drafts: Sequence[Draft]) -> float:
    """Return the size of most of the text on the first pages."""
    sizes: Counter[float] = Counter()
    for draft in takewhile(lambda draft: draft.page <= _PAGES, drafts):
        sizes[draft.size] += len(draft.text)
    return sizes.most_common(1)[0][0] if sizes else 0


def _may_be_title(part: Sequence[Draft], place: int, usual: float) -> bool:
    draft = part[place]
    left, top, right, bottom = draft.box
    turned = len(draft.lines) == 1 and bottom - top > right - left
    large = draft.kind in {"paragraph", "code"} and draft.size >= _LARGER * usual and len(draft.lines) <= _MOST_LINES
    looks = (draft.kind == "heading" or large) and not turned
    return looks and (can_be_title(draft.text) or _goes_on(part, place))


def _prominent(part: Sequence[Draft], usual: float) -> str:
    """Return the headings of the largest size in a part of a page, and where they are short those of the next sizes."""
    headings = [draft for place, draft in enumerate(part) if _may_be_title(part, place, usual)]
    if not headings:
        return ""
    size = max(draft.size for draft in headings)
    places = _places(part, headings, size)
    for smaller in sorted({draft.size for draft in headings if _SMALLEST * size <= draft.size < size}, reverse=True):
        if not says_little(_joined(part, places)):
            break
        places = _places(part, headings, smaller)
    return _joined(part, _with_kind(part, places))


def _places(part: Sequence[Draft], headings: Sequence[Draft], size: float) -> list[int]:
    """Return the places of the headings of a size, with the next line of a title set in small capitals."""
    prominent = {id(draft) for draft in headings if draft.size >= (1 - _SAME_SIZE) * size}
    small = {id(draft) for draft in headings if draft.size >= _SMALL_CAPITALS * size and draft.text.isupper()}
    places: list[int] = []
    for place, draft in enumerate(part):
        goes_on = bool(places) and places[-1] == place - 1 and part[place - 1].text.isupper()
        if id(draft) in prominent or (goes_on and id(draft) in small):
            places.append(place)
    return places


def _with_kind(part: Sequence[Draft], places: Sequence[int]) -> list[int]:
    """Add the line below a title that says which kind of document it is, where the title does not."""
    below = places[-1] + 1
    lacks = not has_kind(_joined(part, places)) and below < len(part)
    return [*places, below] if lacks and len(part[below].lines) == 1 and is_kind(part[below].text) else list(places)


def _joined(part: Sequence[Draft], places: Sequence[int]) -> str:
    parts = [_text(part[places[0]])]
    for before, place in pairwise(places):
        last, draft = part[before], part[place]
        between = part[before + 1 : place]
        if any(
            other.kind not in {"paragraph", "heading", "code", "figure"} or len(other.lines) > _SHORT
            for other in between
        ):
            break
        same_line = draft.text.isupper() or _same_size(draft, last)
        if not between and same_line:
            parts[-1] = join(parts[-1], _text(draft))
        elif len(parts) < _MOST_PARTS:
            parts.append(_text(draft))
    return PARTED.join(parts)


def _text(draft: Draft) -> str:
    return reduce(join, (line.text for line in draft.lines))
