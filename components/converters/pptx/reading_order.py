"""The order in which a person reads what stands on a slide."""

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
Box = tuple[float, float, float, float]

_TOUCH = 0.02


def reading_order(items: list[T], box_of: Callable[[T], Box | None]) -> list[T]:
    """Sort items by recursive cuts along empty bands (XY-cut, Nagy and Seth 1984): rows first, then columns.

    :param items: what stands on the page.
    :param box_of: gives the box of an item: left, top, right, bottom; None when it is not known.
    :returns: the items from top to bottom and left to right, column by column; those without a box first.
    """
    placed = [(box, item) for item in items if (box := box_of(item)) is not None]
    return [item for item in items if box_of(item) is None] + [item for _, item in _cut(placed)]


def _cut(placed: list[tuple[Box, T]]) -> list[tuple[Box, T]]:
    if len(placed) < 2:
        return placed
    for low, high in ((1, 3), (0, 2)):
        groups = _bands(placed, low, high)
        if len(groups) > 1:
            return [one for group in groups for one in _cut(group)]
    return sorted(placed, key=lambda one: (one[0][1], one[0][0]))


def _bands(placed: list[tuple[Box, T]], low: int, high: int) -> list[list[tuple[Box, T]]]:
    ordered = sorted(placed, key=lambda one: one[0][low])
    # Boxes reach a little into each other without standing side by side.
    slack = _TOUCH * (max(one[0][high] for one in placed) - ordered[0][0][low])
    groups: list[list[tuple[Box, T]]] = []
    reach = 0.0
    for one in ordered:
        if groups and one[0][low] < reach - slack:
            groups[-1].append(one)
        else:
            groups.append([one])
        reach = max(reach, one[0][high]) if len(groups[-1]) > 1 else max(one[0][high], reach)
    return groups
