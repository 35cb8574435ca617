"""Headings and their levels: from the outline where there is one, else from size, weight and numbering."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from components.converters.pdf.captions import is_caption
from components.converters.pdf.drafts import Draft
from components.converters.pdf.leaders import has_leaders
from components.converters.pdf.list_items import split_marker
from components.converters.pdf.outline import OutlineEntry, outline_key
from components.converters.pdf.paragraphs import TextHabits
from components.converters.pdf.scripts import cjk_share
from components.text.heading_numbers import Number, number_of

_LARGER = 1.13
_SMALLEST = 0.6
_LONGEST = 160
_MOST_LINES = 4
_SAME_SIZE = 0.04
_SENTENCE_END = re.compile(r"[.,;，。；、！!]$")
_ABBREVIATION = re.compile(r"(?:Inc|Corp|Co|Ltd|etc|Jr|U\.S|[A-Z])\.$")
_LETTER = re.compile(r"[^\W\d_]")
_ASIDE = re.compile(r"[(（][^()（）]*[)）]")
_PLAIN_NUMBERED = 80
_COUNTED = Number("decimal", 1)
Style = tuple[float, bool]


def set_headings(drafts: Sequence[Draft], habits: TextHabits, outline: Sequence[OutlineEntry]) -> None:
    """Turn paragraphs that are headings into such, with a level from 1 to 6.

    :param drafts: of the whole document, in reading order.
    :param outline: the document's own; its depths win over what the text looks like.
    """
    entries = _by_page(outline)
    known: dict[int, int] = {}
    styled: list[Draft] = []
    for index, draft in enumerate(drafts):
        if draft.kind not in {"paragraph", "list"}:
            continue
        depth = _outline_depth(draft, entries)
        if depth:
            known[id(draft)] = depth
        if depth or _is_styled(draft, habits) or _is_numbered(drafts, index, habits):
            styled.append(draft)
    levels = _levels(styled, known)
    for draft in styled:
        draft.kind, draft.level = "heading", min(levels[id(draft)], 6)


def _by_page(outline: Sequence[OutlineEntry]) -> dict[int, list[tuple[str, int]]]:
    entries: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for entry in outline:
        key = outline_key(entry.title)
        if len(key) > 1:
            entries[entry.page].append((key, entry.depth))
    return entries


def _outline_depth(draft: Draft, entries: dict[int, list[tuple[str, int]]]) -> int:
    if draft.page not in entries or len(draft.lines) > _MOST_LINES or len(draft.text) > 2 * _LONGEST:
        return 0
    key = outline_key(draft.text)
    bare = key.lstrip("0123456789")
    for title, depth in entries[draft.page]:
        if key == title or (len(bare) > 3 and bare == title.lstrip("0123456789")):
            return depth
    return 0


def _is_styled(draft: Draft, habits: TextHabits) -> bool:
    ratio = draft.size / habits.size
    bold = draft.bold and not habits.bold and ratio >= _SMALLEST
    if not (ratio >= _LARGER or bold) or not _reads_as_heading(draft, ratio):
        return False
    if draft.kind == "list":
        marker = split_marker(draft.text)
        return marker is not None and marker[0] != "-" and number_of(draft.text) is not None
    return True


def _reads_as_heading(draft: Draft, ratio: float) -> bool:
    text = draft.text
    weight = len(text) * (1 + cjk_share(text))
    if len(draft.lines) > _MOST_LINES or weight > _LONGEST or has_leaders(text) or is_caption(text):
        return False
    # "(in millions, except per share data)", "（单位：元）": a remark on the heading above it or on what follows
    if _ASIDE.fullmatch(text):
        return False
    letters = _LETTER.findall(text)
    if len(letters) < 2 - (cjk_share(text) > 0) or len(letters) < 0.3 * len(text.replace(" ", "")):
        return False
    if any(draft.hard) and ratio < _LARGER and not (draft.bold and len(draft.lines) <= 3):
        return False
    ends = _SENTENCE_END.search(text) and not _ABBREVIATION.search(text)
    if ends and (ratio < 1.3 or text[-1] in ",;，；、") and not (text[-1] == "." and weight < 40):
        return False
    return not (text[0].islower() and ratio < 1.3)


def _is_numbered(drafts: Sequence[Draft], index: int, habits: TextHabits) -> bool:
    """Whether a line in the running text's own style is a heading: numbered, short, alone, with text under it."""
    draft = drafts[index]
    number = number_of(draft.text)
    if number is None or len(draft.lines) > 1:
        return False
    if number == _COUNTED and not _stands_alone(drafts, index):
        return False
    text = draft.text
    if draft.size < 0.97 * habits.size or len(text) * (1 + cjk_share(text)) > _PLAIN_NUMBERED:
        return False
    if not _reads_as_heading(draft, 1.0) or (text.endswith((":", "：")) and number.kind == "decimal"):
        return False
    following = drafts[index + 1] if index + 1 < len(drafts) else None
    if following is None or following.kind not in {"paragraph", "list", "table", "heading", "figure", "code"}:
        return False
    after = number_of(following.text) if following.lines else None
    return after is None or after != number or len(following.text) > 2 * _PLAIN_NUMBERED


def _stands_alone(drafts: Sequence[Draft], index: int) -> bool:
    """Whether a line like "1. Scope" is no item of a list: no item before or after it."""
    before = drafts[index - 1].kind if index else "paragraph"
    after = drafts[index + 1].kind if index + 1 < len(drafts) else "list"
    return drafts[index].kind == "list" and before != "list" and after in {"paragraph", "table", "figure"}


def _levels(styled: Sequence[Draft], known: dict[int, int]) -> dict[int, int]:
    styles = _ranked(styled)
    rank = {style: place for place, style in enumerate(styles)}
    style_of = {id(draft): _nearest(styles, draft) for draft in styled}
    by_style = _style_levels(styled, known, style_of, rank)
    numbered = _number_levels(styled, by_style, style_of)
    levels: dict[int, int] = {}
    for draft in styled:
        if id(draft) in known:
            levels[id(draft)] = known[id(draft)]
            continue
        number = number_of(draft.text)
        levels[id(draft)] = (
            numbered.get(number, by_style[style_of[id(draft)]]) if number else by_style[style_of[id(draft)]]
        )
    return levels


def _ranked(styled: Sequence[Draft]) -> list[Style]:
    """Return the styles of headings, the most prominent first; sizes that hardly differ are one."""
    counts = Counter((draft.size, draft.bold) for draft in styled)
    styles: list[Style] = []
    for size, bold in sorted(counts, key=lambda style: (-style[0], not style[1])):
        if not any(abs(size - other) <= _SAME_SIZE * other and bold == heavy for other, heavy in styles):
            styles.append((size, bold))
    return styles


def _nearest(styles: Sequence[Style], draft: Draft) -> Style:
    return min(styles, key=lambda style: (style[1] != draft.bold, abs(style[0] - draft.size)))


def _style_levels(
    styled: Sequence[Draft], known: dict[int, int], style_of: dict[int, Style], rank: dict[Style, int]
) -> dict[Style, int]:
    votes: dict[Style, Counter[int]] = defaultdict(Counter)
    for draft in styled:
        if id(draft) in known:
            votes[style_of[id(draft)]][known[id(draft)]] += 1
    levels: dict[Style, int] = {}
    previous = 0
    for style in sorted(rank, key=lambda each: rank[each]):
        if votes[style]:
            previous = votes[style].most_common(1)[0][0]
        else:
            previous += 1
        levels[style] = min(previous, 6)
    return levels


def _number_levels(
    styled: Sequence[Draft], by_style: dict[Style, int], style_of: dict[int, Style]
) -> dict[Number, int]:
    """Give numbers of one kind and depth one level, deeper ones a deeper level."""
    votes: dict[Number, Counter[int]] = defaultdict(Counter)
    for draft in styled:
        number = number_of(draft.text)
        if number:
            votes[number][by_style[style_of[id(draft)]]] += 1
    levels: dict[Number, int] = {}
    for number in sorted(votes, key=lambda each: (each.kind, each.depth)):
        level = votes[number].most_common(1)[0][0]
        above = [levels[other] for other in levels if other.kind == number.kind and other.depth < number.depth]
        if above and level <= max(above):
            level = max(above) + 1
        levels[number] = min(level, 6)
    return levels
