"""Edit distance of ordered trees."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Node:
    """A node of an ordered tree.

    :param label: what the costs look at.
    :param children: from left to right.
    """

    label: Any
    children: list["Node"] = field(default_factory=list)

    def size(self) -> int:
        """Return the number of nodes."""
        return 1 + sum(child.size() for child in self.children)


def tree_distance(first: Node, second: Node, cost: Callable[[Any, Any], float]) -> float:
    """Return the least cost of making one tree of the other; to insert or delete a node costs 1.

    Zhang and Shasha (1989), "Simple Fast Algorithms for the Editing Distance between Trees and Related Problems".

    :param cost: of replacing a label by another, 0 to 1.
    """
    ones, twos = _Postorder(first), _Postorder(second)
    costs = [[cost(one, two) for two in twos.labels] for one in ones.labels]
    trees = [[0.0] * len(twos.labels) for _ in ones.labels]
    for one in ones.keyroots:
        for two in twos.keyroots:
            if ones.leftmost[one] == one and twos.leftmost[two] == two:
                trees[one][two] = costs[one][two]
            else:
                _forests(ones, twos, one, two, costs, trees)
    return trees[-1][-1]


class _Postorder:
    def __init__(self, root: Node) -> None:
        self.labels: list[Any] = []
        self.leftmost: list[int] = []
        self._walk(root)
        last = {leaf: number for number, leaf in enumerate(self.leftmost)}
        self.keyroots = sorted(last.values())

    def _walk(self, node: Node) -> int:
        leaves = [self._walk(child) for child in node.children]
        self.leftmost.append(leaves[0] if leaves else len(self.labels))
        self.labels.append(node.label)
        return self.leftmost[-1]


def _forests(
    ones: _Postorder, twos: _Postorder, one: int, two: int, costs: list[list[float]], trees: list[list[float]]
) -> None:
    from_one, from_two = ones.leftmost[one], twos.leftmost[two]
    above = [float(count) for count in range(two - from_two + 2)]
    rows = [above]
    for x in range(from_one, one + 1):
        left = above[0] + 1
        row = [left]
        whole = ones.leftmost[x] == from_one
        before = rows[ones.leftmost[x] - from_one]
        cost_row, tree_row = costs[x], trees[x]
        for y in range(from_two, two + 1):
            place = y - from_two
            if whole and twos.leftmost[y] == from_two:
                left = min(above[place + 1] + 1, left + 1, above[place] + cost_row[y])
                tree_row[y] = left
            else:
                left = min(above[place + 1] + 1, left + 1, before[twos.leftmost[y] - from_two] + tree_row[y])
            row.append(left)
        rows.append(row)
        above = row
