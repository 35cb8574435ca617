import pytest

from khub.eval.lab.documents.tree_distance import Node, tree_distance

pytestmark = pytest.mark.unit


def tree(label, *children):
    return Node(label, list(children))


def differs(one, two):
    return float(one != two)


def test_the_example_of_zhang_and_shasha():
    first = tree("f", tree("d", tree("a"), tree("c", tree("b"))), tree("e"))
    second = tree("f", tree("c", tree("d", tree("a"), tree("b"))), tree("e"))
    assert tree_distance(first, second, differs) == 2  # c is deleted below d and inserted above it


@pytest.mark.parametrize(
    ("first", "second", "distance"),
    [
        (tree("a"), tree("a"), 0),
        (tree("a"), tree("b"), 1),
        (tree("a", tree("b"), tree("c")), tree("a"), 2),
        (tree("a", tree("b"), tree("c")), tree("a", tree("c"), tree("b")), 2),
        (tree("a", tree("b", tree("c"), tree("d"))), tree("a", tree("c"), tree("d")), 1),
        (tree("a", tree("x", tree("b")), tree("c")), tree("a", tree("b"), tree("x", tree("c"))), 2),
    ],
)
def test_distances_counted_by_hand(first, second, distance):
    assert tree_distance(first, second, differs) == distance
    assert tree_distance(second, first, differs) == distance


def test_a_cost_below_one_is_taken():
    assert tree_distance(tree("a", tree("b")), tree("a", tree("c")), lambda one, two: 0.25 * (one != two)) == 0.25


def test_size():
    assert tree("a", tree("b", tree("c")), tree("d")).size() == 4
