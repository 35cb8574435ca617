"""The title of a PDF: what its metadata says, where its first pages say it too, else what they print largest."""

from collections import Counter
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise, takewhile

from components.converters.document_title import best_title, sensible_title, with_topic
from components.converters.pdf.drafts import Draft
from components.converters.pdf.scripts import join
from components.text.report_title import report_title
from components.text.title_lines import PARTED, can_be_title, is_organisation, is_section, says_little

_PAGES = 2
"""Pages with text on which a title is looked for."""
_RUNNING_TEXT = 4
"""Lines of a paragraph from which on it is running text, below which no title is looked for."""
_LARGER = 1.3
"""What is so much larger than most text may be a title, whatever it was taken for."""
_ASIDE = 1.1
_SHORT = 2
"""Lines of what may stand between the parts of a title."""
_SAME_SIZE = 0.04
_SMALL_CAPITALS = 0.75
_SMALLEST = 0.5
"""Share of its size down to which a short title is joined with other lines."""
_MOST_PARTS = 3


def pdf_title(drafts: Sequence[Draft], given: str | None) -> str | None:
    """Return the title of a document.

    :param drafts: of the whole document, in reading order, with their headings set.
    :param given: from the document's metadata.
    """
    first = sorted({draft.page for draft in drafts if draft.lines})[:_PAGES]
    lines = [line.text for draft in drafts if draft.page in first for line in draft.lines]
    title = report_title(lines) or best_title(given, printed_title(drafts), " ".join(lines))
    return with_topic(title, lines)


def printed_title(drafts: Sequence[Draft]) -> str | None:
    """Return the most prominent headings above the running text of the first page that has any.

    A cover with several lines of one size (an authority, the kind of the document, who it is about) gives all of them,
    as far as only short lines stand between. What the outline or the look puts on the first level comes first. A title
    stands before the first section: behind a numbered heading, or that of a part which any document has (contents,
    abstract), none is looked for. One or two words ("User Manual"), or no more than a company, are joined with the
    lines of the next size, or give way to a larger heading further down.

    :param drafts: of the whole document, in reading order, with their headings set.
    """
    front = _front(drafts)
    usual = _usual_size(drafts)
    for page in range(1, _PAGES + 1):
        whole = [draft for draft in front if draft.page == page]
        above = _above_text(whole)
        title = _prominent(above, usual)
        if title:
            title = _prominent(whole, usual) if says_little(title) else title
            return None if is_organisation(title) else sensible_title(title)
        if len(above) < len(whole):
            return None
    return None


def _front(drafts: Sequence[Draft]) -> list[Draft]:
    """Return what stands before the first section; one of a column aside ("Contents") is none: the title is larger."""
    front: list[Draft] = []
    for place, draft in enumerate(drafts):
        if draft.page > _PAGES:
            break
        if draft.kind == "heading" and is_section(draft.text):
            below = (other for other in drafts[place + 1 :] if other.page == draft.page)
            if not any(other.kind == "heading" and other.size >= _ASIDE * draft.size for other in below):
                break
        front.append(draft)
    return front


def _above_text(drafts: Sequence[Draft]) -> list[Draft]:
    """Return what stands on a page above its running text."""
    text = [draft.box[1] for draft in drafts if draft.kind == "paragraph" and len(draft.lines) >= _RUNNING_TEXT]
    return [draft for draft in drafts if draft.box[1] < min(text)] if text else list(drafts)


def _usual_size(drafts: Sequence[Draft]) -> float:
    """Return the size of most of the text on the first pages."""
    sizes: Counter[float] = Counter()
    for draft in takewhile(lambda draft: draft.page <= _PAGES, drafts):
        sizes[draft.size] += len(draft.text)
    return sizes.most_common(1)[0][0] if sizes else 0


def _may_be_title(draft: Draft, usual: float) -> bool:
    left, top, right, bottom = draft.box
    turned = len(draft.lines) == 1 and bottom - top > right - left
    large = draft.kind in {"paragraph", "code"} and draft.size >= _LARGER * usual and len(draft.lines) < _RUNNING_TEXT
    return (draft.kind == "heading" or large) and not turned and can_be_title(draft.text)


def _prominent(part: Sequence[Draft], usual: float) -> str:
    """Return the headings of the largest size in a part of a page, and where they are short those of the next sizes."""
    headings = [draft for draft in part if _may_be_title(draft, usual)]
    if not headings:
        return ""
    top = [draft for draft in headings if draft.level == 1] or headings
    size = max(draft.size for draft in top)
    title = _joined(part, _places(part, top, headings, size))
    for smaller in sorted({draft.size for draft in headings if _SMALLEST * size <= draft.size < size}, reverse=True):
        if not says_little(title):
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
        if any(
            other.kind not in {"paragraph", "heading", "code", "figure"} or len(other.lines) > _SHORT
            for other in between
        ):
            break
        same_line = draft.text.isupper() or abs(draft.size - last.size) <= _SAME_SIZE * last.size
        if not between and same_line:
            parts[-1] = join(parts[-1], _text(draft))
        elif len(parts) < _MOST_PARTS:
            parts.append(_text(draft))
    return PARTED.join(parts)


def _text(draft: Draft) -> str:
    return reduce(join, (line.text for line in draft.lines))
