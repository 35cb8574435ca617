"""Which of the tables that were found is which."""

from collections import Counter
from collections.abc import Sequence

from khub.eval.lab.documents.metrics import table_similarity
from khub.eval.lab.documents.structure import Grid


def match_tables(truth: Sequence[Grid], found: Sequence[Grid]) -> list[float]:
    """Return for each true table its TEDS with the found one that it is paired with, 0 for those without.

    Paired are the two with the most cells of the same text (Dice's coefficient), then the next two of those left; a
    found table is used once, and tables with no cell in common are no pair.
    """
    bags = [_cells(grid) for grid in truth], [_cells(grid) for grid in found]
    pairs = [
        (_dice(one, two), number, other)
        for number, one in enumerate(bags[0])
        for other, two in enumerate(bags[1])
        if one & two
    ]
    scores = [0.0] * len(truth)
    free, taken = set(range(len(truth))), set()
    for _, number, other in sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2])):
        if number in free and other not in taken:
            scores[number] = table_similarity(truth[number], found[other])
            free.discard(number)
            taken.add(other)
    return scores


def _cells(grid: Grid) -> Counter[str]:
    return Counter(cell.text for row in grid.rows for cell in row if cell.text)


def _dice(one: Counter[str], two: Counter[str]) -> float:
    return 2 * (one & two).total() / (one.total() + two.total())
