"""Headings: what the outline names, else what is set off by size, weight, slant or number."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from khub.components.converters.pdf.drafts import Draft
from khub.components.converters.pdf.heading_levels import heading_levels
from khub.components.converters.pdf.heading_looks import is_bold_sentence, is_plain_title, is_styled, is_turned
from khub.components.converters.pdf.heading_places import misplaced
from khub.components.converters.pdf.outline import OutlineEntry, outline_key
from khub.components.converters.pdf.paragraphs import TextHabits
from khub.components.converters.pdf.scripts import cjk_share
from khub.components.text.heading_numbers import Number, number_of, without_number

_LONGEST = 320
_MOST_LINES = 4
_LONG_TEXT = 160
_INDENT = 3
_FEWEST_SENTENCES = 3
_COUNTED = Number("decimal", 1)
_TEXT = {"paragraph", "list", "code"}
_UNDER_A_TITLE = {"paragraph", "list", "table", "heading", "figure", "code"}


def set_headings(drafts: Sequence[Draft], habits: TextHabits, outline: Sequence[OutlineEntry]) -> None:
    """Turn paragraphs that are headings into such, with a level from 1 to 6.

    :param drafts: of the whole document, in reading order.
    :param outline: the document's own; its depths win over what the text looks like.
    """
    known = _named(drafts, outline)
    said = _sentences(drafts, habits)
    styled = [
        draft
        for index, draft in enumerate(drafts)
        if draft.kind in _TEXT
        and len(draft.lines) <= _MOST_LINES
        and (
            id(draft) in known
            or id(draft) in said
            or is_styled(draft, habits)
            or _is_numbered(drafts, index, habits)
            or _is_slanted(drafts, index, habits)
            or _is_capitals(drafts, index, habits)
        )
    ]
    unsure = [draft for draft in styled if id(draft) not in known]
    wrong = misplaced(drafts, unsure, outline, habits.larger)
    headings = [draft for draft in styled if id(draft) not in wrong]
    levels = heading_levels(headings, known)
    for draft in headings:
        draft.kind, draft.level = "heading", levels[id(draft)]


def _named(drafts: Sequence[Draft], outline: Sequence[OutlineEntry]) -> dict[int, int]:
    """Return the depth of each draft that the outline names, by its identity; an entry names the most prominent one."""
    by_page: dict[int, list[Draft]] = defaultdict(list)
    for draft in drafts:
        fits = draft.kind in _TEXT and len(draft.lines) <= _MOST_LINES
        if fits and len(draft.text) <= _LONGEST and not is_turned(draft):
            by_page[draft.page].append(draft)
    known: dict[int, int] = {}
    for entry in outline:
        key = outline_key(entry.title)
        alike = [draft for draft in by_page[entry.page] if id(draft) not in known and _names(key, draft)]
        if len(key) > 1 and alike:
            found = max(alike, key=lambda draft: (draft.size, draft.bold))
            known[id(found)] = entry.depth
    return known


def _names(key: str, draft: Draft) -> bool:
    text = outline_key(draft.text)
    if text == key:
        return True
    words, bare = outline_key(without_number(draft.text)), key.lstrip("0123456789")
    return words == key or (len(bare) > 3 and bare == text.lstrip("0123456789"))


def _is_numbered(drafts: Sequence[Draft], index: int, habits: TextHabits) -> bool:
    """Whether a line in the running text's own style is a heading: numbered, short, alone, with text under it."""
    draft = drafts[index]
    number = number_of(draft.text)
    if number is None or draft.kind == "code" or not is_plain_title(draft, habits):
        return False
    if number == _COUNTED and not _stands_alone(drafts, index):
        return False
    if draft.text.endswith((":", "：")) and number.kind == "decimal":
        return False
    following = drafts[index + 1] if index + 1 < len(drafts) else None
    if following is None or following.kind not in _UNDER_A_TITLE:
        return False
    after = number_of(following.text) if following.lines else None
    return after is None or after != number or len(following.text) > _LONG_TEXT


def _is_slanted(drafts: Sequence[Draft], index: int, habits: TextHabits) -> bool:
    """Whether an italic line is a heading: short, alone, with upright text right under it."""
    draft = drafts[index]
    following = drafts[index + 1] if index + 1 < len(drafts) else None
    if draft.kind != "paragraph" or not draft.italic or following is None or not is_plain_title(draft, habits):
        return False
    under = following.kind in {"paragraph", "list", "table"} and following.page == draft.page and not following.italic
    # what stands further right with all of its lines explains a term
    indent = _INDENT if len(following.lines) == 1 else 1
    beneath = following.box[1] >= draft.box[3] - 1 and following.box[0] < draft.box[0] + indent * draft.size
    return under and beneath and not draft.text.endswith((":", "：", ".", "”", '"'))


def _is_capitals(drafts: Sequence[Draft], index: int, habits: TextHabits) -> bool:
    """Whether a line in capitals is a heading: several words, alone, with running text or a table under it."""
    draft = drafts[index]
    following = drafts[index + 1] if index + 1 < len(drafts) else None
    if draft.kind != "paragraph" or not _in_capitals(draft.text) or following is None or " " not in draft.text:
        return False
    if not is_plain_title(draft, habits) or following.page != draft.page or _in_capitals(following.text):
        return False
    under = following.kind in {"list", "table"} or (following.kind == "paragraph" and len(following.lines) > 1)
    return under and following.box[1] >= draft.box[3] - 1


def _in_capitals(text: str) -> bool:
    return text.isupper() and cjk_share(text) == 0 and not text.endswith(":")


def _sentences(drafts: Sequence[Draft], habits: TextHabits) -> set[int]:
    """Return the identities of sentences that are headings: bold, above plain text, a habit of the document."""
    found = {
        id(draft)
        for draft, below in pairwise(drafts)
        if draft.kind == below.kind == "paragraph"
        and draft.page == below.page
        and below.box[1] >= draft.box[3] - 1
        and not below.bold
        and is_bold_sentence(draft, habits)
    }
    return found if len(found) >= _FEWEST_SENTENCES else set()


def _stands_alone(drafts: Sequence[Draft], index: int) -> bool:
    """Whether a line like "1. Scope" is no item of a list: no item before or after it."""
    before = drafts[index - 1].kind if index else "paragraph"
    after = drafts[index + 1].kind if index + 1 < len(drafts) else "list"
    return drafts[index].kind == "list" and before != "list" and after in {"paragraph", "table", "figure"}
