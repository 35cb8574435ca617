"""How near a reader came to the truth: headings, tables, reading order."""

from collections.abc import Sequence
from functools import cache

from khub.eval.lab.documents.edit_distance import edit_similarity
from khub.eval.lab.documents.model import Cell, Heading
from khub.eval.lab.documents.structure import Grid
from khub.eval.lab.documents.tree_distance import Node, tree_distance

ROOT = "root"


def heading_similarity(truth: Sequence[Heading], found: Sequence[Heading]) -> float:
    """Return how alike two trees of headings are, 0 to 1.

    A heading is the child of the nearest heading before it with a smaller level. The similarity is TEDS's (Zhong,
    ShafieiBavani and Jimeno Yepes 2020, see `table_similarity`) on these trees: `1 - distance / headings of the larger
    tree`, where to insert or delete a heading costs 1 and to replace one costs `1 - s * l`, with s the edit similarity
    of the texts and l = 1 for the same level, 0.5 for another one. The root above both trees counts for nothing.

    :returns: 1 when neither has headings.
    """
    larger = max(len(truth), len(found))
    if not larger:
        return 1.0
    return max(0.0, 1 - tree_distance(_heading_tree(truth), _heading_tree(found), _heading_cost) / larger)


def table_similarity(truth: Grid, found: Grid) -> float:
    """Return TEDS of two tables, 0 to 1.

    Zhong, ShafieiBavani and Jimeno Yepes (2020), "Image-based table recognition: data, model, and evaluation":
    `1 - distance / nodes of the larger tree`, on the tree table > rows > cells. To insert or delete a node costs 1; to
    replace a cell costs 1 if its colspan or rowspan differs, else the normalised edit distance of the texts. As
    Markdown knows no more than one row of head, `thead`, `tbody` and `th` are not told apart from rows and cells.
    """
    one, two = _table_tree(truth), _table_tree(found)
    return 1 - tree_distance(one, two, _table_cost) / max(one.size(), two.size())


def reading_order_similarity(truth: str, found: str) -> float:
    """Return `1 - Levenshtein distance / length of the longer text` of whole documents (as in OmniDocBench, 2024)."""
    return edit_similarity(truth, found)


def _heading_tree(headings: Sequence[Heading]) -> Node:
    root = Node(ROOT)
    path: list[tuple[int, Node]] = [(0, root)]
    for heading in headings:
        node = Node(heading)
        while path[-1][0] >= heading.level:
            path.pop()
        path[-1][1].children.append(node)
        path.append((heading.level, node))
    return root


def _heading_cost(one: Heading | str, two: Heading | str) -> float:
    if isinstance(one, str) or isinstance(two, str):
        return 0.0 if one == two else 1.0
    return 1 - _alike(one.text, two.text) * (1 if one.level == two.level else 0.5)


def _table_tree(grid: Grid) -> Node:
    return Node("table", [Node("row", [Node(cell) for cell in row]) for row in grid.rows])


def _table_cost(one: Cell | str, two: Cell | str) -> float:
    if one == two:
        return 0.0
    if isinstance(one, str) or isinstance(two, str):
        return 1.0
    if (one.colspan, one.rowspan) != (two.colspan, two.rowspan):
        return 1.0
    return 1 - _alike(one.text, two.text)


@cache
def _alike(one: str, two: str) -> float:
    return edit_similarity(one, two)
