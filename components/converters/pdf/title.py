"""The title that a document prints on its first page, for files whose metadata names none."""

from collections.abc import Sequence
from itertools import pairwise

from components.converters.document_title import sensible_title
from components.converters.pdf.drafts import Draft
from components.converters.pdf.numbering import number_of
from components.text.part_headings import is_part_heading

_PAGES = 2
_RUNNING_TEXT = 4
"""Lines of a paragraph from which on it is running text, below which no title is looked for."""
_SHORT = 2
"""Lines of what may stand between the parts of a title."""
_SAME_SIZE = 0.04
_SMALL_CAPITALS = 0.75
_MOST_PARTS = 3


def printed_title(drafts: Sequence[Draft]) -> str | None:
    """Return the most prominent headings above the running text of the first page that has any.

    A cover with several lines of one size (an authority, the kind of the document, who it is about) gives all of them,
    as far as only short lines stand between. What the outline or the look puts on the first level comes first.
    Headings of a part that any document has (contents, abstract) and numbered ones are no titles.

    :param drafts: of the whole document, in reading order, with their headings set.
    """
    for page in range(1, _PAGES + 1):
        front = _front([draft for draft in drafts if draft.page == page])
        if headings := [draft for draft in front if _may_be_title(draft)]:
            return sensible_title(_joined(front, _largest(front, headings)))
    return None


def _front(drafts: Sequence[Draft]) -> list[Draft]:
    """Return what stands on a page above its running text."""
    text = (at for at, draft in enumerate(drafts) if draft.kind == "paragraph" and len(draft.lines) >= _RUNNING_TEXT)
    return list(drafts[: next(text, len(drafts))])


def _may_be_title(draft: Draft) -> bool:
    return draft.kind == "heading" and number_of(draft.text) is None and not is_part_heading(draft.text)


def _largest(front: Sequence[Draft], headings: Sequence[Draft]) -> list[int]:
    """Return the places of the headings of the largest size, with the next line of a title set in small capitals."""
    top = [draft for draft in headings if draft.level == 1] or headings
    size = max(draft.size for draft in top)
    prominent = {id(draft) for draft in top if draft.size >= (1 - _SAME_SIZE) * size}
    small = {id(draft) for draft in headings if draft.size >= _SMALL_CAPITALS * size and draft.text.isupper()}
    places: list[int] = []
    for place, draft in enumerate(front):
        goes_on = bool(places) and places[-1] == place - 1 and front[place - 1].text.isupper()
        if id(draft) in prominent or (goes_on and id(draft) in small):
            places.append(place)
    return places


def _joined(front: Sequence[Draft], places: Sequence[int]) -> str:
    parts = [front[places[0]].text]
    for before, place in pairwise(places):
        text = front[place].text
        between = front[before + 1 : place]
        if any(draft.kind not in {"paragraph", "heading"} or len(draft.lines) > _SHORT for draft in between):
            break
        if not between:
            parts[-1] = f"{parts[-1]} {text}"
        elif len(parts) < _MOST_PARTS:
            parts.append(text)
    return " · ".join(parts)
