import pytest

from khub.eval.lab.documents.model import Cell
from khub.eval.lab.documents.structure import Grid
from khub.eval.lab.documents.table_matching import match_tables

pytestmark = pytest.mark.unit


def grid(*rows):
    return Grid(tuple(tuple(map(Cell, row)) for row in rows))


ONE = grid(("a", "b"), ("1", "2"))
TWO = grid(("c", "d"), ("3", "4"))


def test_order_does_not_matter():
    assert match_tables([ONE, TWO], [TWO, ONE]) == [1, 1]


def test_a_table_that_was_not_found_scores_0():
    assert match_tables([ONE, TWO], [TWO]) == [0, 1]
    assert match_tables([ONE], []) == [0]


def test_a_spurious_table_takes_nothing():
    assert match_tables([ONE], [grid(("x", "y"), ("8", "9")), ONE]) == [1]


def test_a_found_table_is_used_once():
    assert match_tables([ONE, ONE], [ONE]) == [1, 0]


def test_the_better_pair_comes_first():
    half = grid(("a", "b"), ("8", "9"))
    assert match_tables([half, ONE], [ONE]) == [0, 1]
