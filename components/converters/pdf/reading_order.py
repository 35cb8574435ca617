"""The order in which the things on a page are read: columns one after the other, full-width things between them.

A gutter is a vertical strip that little text crosses. What crosses it parts the page into bands; in each band the left
side is read before the right one. The idea is that of the recursive XY cut (Nagy and Seth 1984) with the cuts chosen
by what the sides look like, so that the cells of a table are not read as columns.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from khub.components.converters.pdf.layout import Ruling, Segment
from khub.components.converters.pdf.scripts import cjk_share

_BIN = 2.0
_NARROWEST_GUTTER = 5.0
_MOST_CROSSED = 0.5
_DEEPEST = 6
_FEWEST_LINES = 3
_PROSE_CHARACTERS = 16
_PROSE_FILL = 0.5
_SAME_BASELINE = 2.0
_BLOCK_GAP = 1.3
_TRIED = 4
_VOTING_CHARACTERS = 8


class Item(NamedTuple):
    """Something to be put in order.

    :param text: "" for a table or a figure.
    :param place: its number, for the caller.
    """

    x0: float
    top: float
    x1: float
    bottom: float
    baseline: float
    size: float
    text: str
    place: int


def item_of(place: int, segment: Segment) -> Item:
    """Return a segment as an item."""
    s = segment
    return Item(s.x0, s.top, s.x1, s.bottom, s.baseline, s.size, s.text or " ", place)


def order(items: Sequence[Item], rulings: Sequence[Ruling], rtl: bool = False) -> list[list[Item]]:
    """Put items in reading order.

    :param items: what stands on the page.
    :param rulings: lines that part it.
    :param rtl: whether columns are read from right to left.
    :returns: regions in reading order; what stands in one region is to be read line by line.
    """
    return _split(list(items), [line for line in rulings if line.top == line.bottom], rtl, 0)


def _split(items: list[Item], rulings: Sequence[Ruling], rtl: bool, depth: int) -> list[list[Item]]:
    if len(items) < 2 * _FEWEST_LINES or depth > _DEEPEST:
        return [items] if items else []
    for gutter in [*voted_gutters(items), *_gutters(items)]:
        bands = _bands(items, gutter, rulings)
        parts = [_sides(band, gutter) if band[1] else None for band in bands]
        if not any(part and _are_columns(*part) for part in parts):
            continue
        regions: list[list[Item]] = []
        pending: list[Item] = []
        for (band, free), part in zip(bands, parts, strict=True):
            if free and part and _are_columns(*part):
                regions.extend(_split(pending, rulings, rtl, depth + 1))
                pending = []
                for side in reversed(part) if rtl else part:
                    regions.extend(_split(side, rulings, rtl, depth + 1))
            else:
                pending.extend(band)
        regions.extend(_split(pending, rulings, rtl, depth + 1))
        return regions
    return [items]


def voted_gutters(items: list[Item]) -> list[tuple[float, float]]:
    """Return strips that part most lines which stand beside each other, the best first."""
    votes: Counter[int] = Counter()
    for start, end in _gaps_beside(sorted(items, key=lambda item: item.top)):
        votes.update(range(int(start / _BIN) + 1, int(end / _BIN) + 1))
    strips: list[tuple[float, float]] = []
    while votes and len(strips) < 2:
        peak, most = max(votes.items(), key=lambda vote: (vote[1], vote[0]))
        if most < _FEWEST_LINES:
            break
        start = end = peak
        while votes[start - 1] >= 0.8 * most:
            start -= 1
        while votes[end + 1] >= 0.8 * most:
            end += 1
        strips.append(_least_crossed(items, range(start, end + 1)))
        for bin_ in range(start - 8, end + 9):
            votes.pop(bin_, None)
    return strips


def _gaps_beside(ordered: list[Item]) -> Iterator[tuple[float, float]]:
    """Yield the gaps between lines of text that stand beside each other."""
    for place, item in enumerate(ordered):
        for other in ordered[place + 1 :]:
            if other.top > item.bottom:
                break
            if min(item.bottom, other.bottom) - other.top > 0.5 * min(item.size, other.size):
                left, right = (item, other) if item.x0 < other.x0 else (other, item)
                written = min(len(left.text), len(right.text)) > _VOTING_CHARACTERS
                if written and right.x0 - left.x1 > _NARROWEST_GUTTER:
                    yield left.x1, right.x0


def _least_crossed(items: list[Item], bins: range) -> tuple[float, float]:
    """Narrow a strip to where the fewest items cross it."""
    crossing = [sum(item.x0 < x * _BIN < item.x1 for item in items) for x in bins]
    best = min(crossing)
    place = crossing.index(best)
    end = place
    while end + 1 < len(crossing) and crossing[end + 1] == best:
        end += 1
    return bins[place] * _BIN - 1, bins[end] * _BIN + 1


def _gutters(items: list[Item]) -> list[tuple[float, float]]:
    """Return strips that little text crosses, the best first."""
    left, right = min(item.x0 for item in items), max(item.x1 for item in items)
    count = int((right - left) / _BIN) + 2
    steps = [0.0] * (count + 1)
    for item in items:
        height = min(item.bottom - item.top, 3 * item.size)
        steps[int((item.x0 - left) / _BIN)] += height
        steps[min(int((item.x1 - left) / _BIN) + 1, count)] -= height
    crossed: list[float] = []
    running = 0.0
    for step in steps:
        running += step
        crossed.append(running)
    most = max(crossed) * _MOST_CROSSED
    strips: list[tuple[float, float, float]] = []
    start = 0
    while start < count:
        end = start
        if crossed[start] < most:
            low = crossed[start]
            while end < count and abs(crossed[end] - low) < 0.02 * most + 0.1:
                end += 1
            before, after = crossed[start - 1] if start else 0.0, crossed[end] if end < count else 0.0
            wide = (end - start) * _BIN >= _NARROWEST_GUTTER
            if start and end < count and before > low and after > low and wide:
                strips.append((low, left + start * _BIN, left + end * _BIN))
        start = max(end, start + 1)
    strips.sort(key=lambda strip: (round(strip[0] / max(most, 1) * 5), strip[1] - strip[2]))
    return [(x0, x1) for _, x0, x1 in strips[:_TRIED]]


def _bands(items: list[Item], gutter: tuple[float, float], rulings: Sequence[Ruling]) -> list[tuple[list[Item], bool]]:
    """Cut items into bands from top to bottom; a band is free when nothing in it crosses the gutter."""
    middle = (gutter[0] + gutter[1]) / 2
    crossing = [item for item in items if item.x0 < middle - 1 and item.x1 > middle + 1]
    walls = [(item.top, item.bottom) for item in crossing]
    left, right = min(item.x0 for item in items), max(item.x1 for item in items)
    top, bottom = min(item.top for item in items), max(item.bottom for item in items)
    walls += [
        (line.top, line.top)
        for line in rulings
        if line.x0 < middle - 20 and line.x1 > middle + 20 and line.x1 - line.x0 > 0.5 * (right - left)
        if top < line.top < bottom
    ]
    walls.sort()
    bands: list[tuple[list[Item], bool]] = []
    rest = sorted((item for item in items if item not in crossing), key=lambda item: (item.top + item.bottom) / 2)
    crossing_left = sorted(crossing, key=lambda item: item.top)
    position = 0
    for wall_top, wall_bottom in [*walls, (float("inf"), float("inf"))]:
        band: list[Item] = []
        while position < len(rest) and (rest[position].top + rest[position].bottom) / 2 < wall_top:
            band.append(rest[position])
            position += 1
        if band:
            bands.append((band, True))
        if wall_bottom > wall_top and crossing_left:
            bands.append(([crossing_left.pop(0)], False))
    return bands


def _sides(band: tuple[list[Item], bool], gutter: tuple[float, float]) -> tuple[list[Item], list[Item]]:
    middle = (gutter[0] + gutter[1]) / 2
    left = [item for item in band[0] if (item.x0 + item.x1) / 2 < middle]
    right = [item for item in band[0] if (item.x0 + item.x1) / 2 >= middle]
    return left, right


def _are_columns(left: list[Item], right: list[Item]) -> bool:
    if not left or not right:
        return False
    prose = [_is_prose(side) for side in (left, right)]
    if all(prose):
        return True
    if not any(prose):
        # A table or figure beside text.
        lonely = [not any(item.text for item in side) for side in (left, right)]
        return any(lonely)
    few, many = (left, right) if prose[1] else (right, left)
    if not any(item.text for item in few):
        return True
    return _aligned(few, many) < 0.6 and len(few) >= 2


def _is_prose(side: list[Item]) -> bool:
    written = [item for item in side if item.text]
    if len(written) < _FEWEST_LINES:
        return False
    width = max(item.x1 for item in written) - min(item.x0 for item in written)
    characters = median(len(item.text) * (1 + cjk_share(item.text)) for item in written)
    fill = median(item.x1 - item.x0 for item in written) / max(width, 1.0)
    return characters >= _PROSE_CHARACTERS and fill >= _PROSE_FILL


def _aligned(few: list[Item], many: list[Item]) -> float:
    """Return the share of blocks on one side that begin beside the beginning of a block on the other side.

    So do the cells of a table's rows; a note in the margin begins anywhere.
    """
    starts = _starts(many)
    begun = _starts(few)
    hits = sum(any(abs(one - other) < _SAME_BASELINE for other in starts) for one in begun)
    return hits / len(begun)


def _starts(side: list[Item]) -> list[float]:
    """Return the baselines of lines that begin a block: after a gap, or after a line that ends early."""
    ordered = sorted(side, key=lambda item: item.baseline)
    right = max(item.x1 for item in side)
    steps = [b.baseline - a.baseline for a, b in pairwise(ordered)]
    usual = median([step for step in steps if step > 1.0] or [0.0])
    found = [ordered[0].baseline]
    for above, below, step in zip(ordered, ordered[1:], steps, strict=False):
        if step > _BLOCK_GAP * usual or (step > 1.0 and right - above.x1 > 6 * above.size):
            found.append(below.baseline)
    return found
