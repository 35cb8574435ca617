"""Levels of headings: by the outline where it names them, else by number and by style."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from khub.components.converters.pdf.drafts import Draft
from khub.components.text.heading_numbers import Number, number_of

_SAME_SIZE = 0.04
DEEPEST = 6
Style = tuple[float, bool, bool]
"""Size, whether it is bold, whether it is italic."""


def heading_levels(styled: Sequence[Draft], known: dict[int, int]) -> dict[int, int]:
    """Return the level of each heading, by the identity of its draft.

    :param styled: all headings of a document, in reading order.
    :param known: levels that the outline gives.
    """
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
    counts = Counter((draft.size, draft.bold, draft.italic) for draft in styled)
    styles: list[Style] = []
    for size, *face in sorted(counts, key=lambda style: (-style[0], not style[1], style[2])):
        if not any(abs(size - other) <= _SAME_SIZE * other and face == faces for other, *faces in styles):
            styles.append((size, face[0], face[1]))
    return styles


def _nearest(styles: Sequence[Style], draft: Draft) -> Style:
    return min(styles, key=lambda style: (style[1] != draft.bold, style[2] != draft.italic, abs(style[0] - draft.size)))


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
        levels[style] = min(previous, DEEPEST)
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
        levels[number] = min(level, DEEPEST)
    return levels
