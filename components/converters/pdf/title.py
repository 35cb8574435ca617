"""The title of a PDF: what its metadata says, where its first pages say it too, else what they print largest."""

from collections.abc import Sequence
from functools import reduce
from itertools import pairwise

from components.converters.document_title import sensible_title
from components.converters.pdf.drafts import Draft
from components.converters.pdf.scripts import join
from components.text.heading_numbers import number_of
from components.text.part_headings import is_part_heading
from components.text.title_words import WEAK, title_weight
from components.text.tokenizer import tokenize

_PAGES = 2
"""Pages with text on which a title is looked for."""
_RUNNING_TEXT = 4
"""Lines of a paragraph from which on it is running text, below which no title is looked for."""
_SHORT = 2
"""Lines of what may stand between the parts of a title."""
_SAME_SIZE = 0.04
_SMALL_CAPITALS = 0.75
_MOST_PARTS = 3
_SAID = 0.5
"""Share of the words of the metadata's title that the first pages have to hold."""


def pdf_title(drafts: Sequence[Draft], given: str | None) -> str | None:
    """Return the title of a document.

    What programs, templates and scanners write as its title is often about something else: it counts as far as the
    document says it itself, and where it is as short as "User Manual" only if no more is printed.

    :param drafts: of the whole document, in reading order, with their headings set.
    :param given: from the document's metadata.
    """
    named, printed = sensible_title(given), printed_title(drafts)
    if not named or is_part_heading(named) or not _is_said(named, drafts):
        return printed
    return printed if title_weight(named) <= WEAK and title_weight(printed) > title_weight(named) else named


def printed_title(drafts: Sequence[Draft]) -> str | None:
    """Return the most prominent headings above the running text of the first page that has any.

    A cover with several lines of one size (an authority, the kind of the document, who it is about) gives all of them,
    as far as only short lines stand between. What the outline or the look puts on the first level comes first.
    Headings of a part that any document has (contents, abstract) and numbered ones are no titles. One or two words
    ("User Manual") are joined with the lines of the next size, or give way to a larger heading further down.

    :param drafts: of the whole document, in reading order, with their headings set.
    """
    for page in range(1, _PAGES + 1):
        whole = [draft for draft in drafts if draft.page == page]
        title = _prominent(_front(whole))
        if title:
            return sensible_title(title if title_weight(title) > WEAK else _prominent(whole))
    return None


def _is_said(title: str, drafts: Sequence[Draft]) -> bool:
    """Whether the first pages with text hold the words of a title; True where there is no text yet."""
    pages = sorted({draft.page for draft in drafts if draft.lines})[:_PAGES]
    said = set(tokenize(" ".join(draft.text for draft in drafts if draft.page in pages)))
    words = set(tokenize(title))
    return not said or len(words & said) > _SAID * len(words)


def _front(drafts: Sequence[Draft]) -> list[Draft]:
    """Return what stands on a page above its running text."""
    text = [draft.box[1] for draft in drafts if draft.kind == "paragraph" and len(draft.lines) >= _RUNNING_TEXT]
    return [draft for draft in drafts if draft.box[1] < min(text)] if text else list(drafts)


def _may_be_title(draft: Draft) -> bool:
    left, top, right, bottom = draft.box
    turned = len(draft.lines) == 1 and bottom - top > right - left
    return draft.kind == "heading" and not turned and number_of(draft.text) is None and not is_part_heading(draft.text)


def _prominent(part: Sequence[Draft]) -> str:
    """Return the headings of the largest size in a part of a page, and where they are short those of the next sizes."""
    headings = [draft for draft in part if _may_be_title(draft)]
    if not headings:
        return ""
    top = [draft for draft in headings if draft.level == 1] or headings
    size = max(draft.size for draft in top)
    title = _joined(part, _places(part, top, headings, size))
    for smaller in sorted({draft.size for draft in headings if draft.size < size}, reverse=True):
        if title_weight(title) > WEAK:
            break
        title = _joined(part, _places(part, headings, headings, smaller))
    return title


def _places(part: Sequence[Draft], top: Sequence[Draft], headings: Sequence[Draft], size: float) -> list[int]:
    """Return the places of the headings of a size, with the next line of a title set in small capitals."""
    prominent = {id(draft) for draft in top if draft.size >= (1 - _SAME_SIZE) * size}
    small = {id(draft) for draft in headings if draft.size >= _SMALL_CAPITALS * size and draft.text.isupper()}
    places: list[int] = []
    for place, draft in enumerate(part):
        goes_on = bool(places) and places[-1] == place - 1 and part[place - 1].text.isupper()
        if id(draft) in prominent or (goes_on and id(draft) in small):
            places.append(place)
    return places


def _joined(part: Sequence[Draft], places: Sequence[int]) -> str:
    parts = [_text(part[places[0]])]
    for before, place in pairwise(places):
        last, draft = part[before], part[place]
        between = part[before + 1 : place]
        if any(other.kind not in {"paragraph", "heading"} or len(other.lines) > _SHORT for other in between):
            break
        same_line = draft.text.isupper() or abs(draft.size - last.size) <= _SAME_SIZE * last.size
        if not between and same_line:
            parts[-1] = join(parts[-1], _text(draft))
        elif len(parts) < _MOST_PARTS:
            parts.append(_text(draft))
    return " · ".join(parts)


def _text(draft: Draft) -> str:
    return reduce(join, (line.text for line in draft.lines))
