import pytest

from khub.eval.lab.documents.metrics import heading_similarity, reading_order_similarity, table_similarity
from khub.eval.lab.documents.model import Cell, Heading
from khub.eval.lab.documents.structure import Grid

pytestmark = pytest.mark.unit
TRUTH = [Heading(1, "Title"), Heading(2, "One"), Heading(3, "Deep"), Heading(2, "Two")]


def grid(*rows):
    return Grid(tuple(tuple(Cell(cell) if isinstance(cell, str) else cell for cell in row) for row in rows))


def test_the_same_headings():
    assert heading_similarity(TRUTH, list(TRUTH)) == 1
    assert heading_similarity([], []) == 1


def test_no_headings_and_only_wrong_ones():
    assert heading_similarity(TRUTH, []) == 0
    assert heading_similarity([], TRUTH) == 0


def test_a_missing_heading_costs_its_share():
    assert heading_similarity(TRUTH, [TRUTH[0], TRUTH[1], TRUTH[3]]) == pytest.approx(3 / 4)


def test_a_spurious_heading_counts_in_the_larger_tree():
    assert heading_similarity(TRUTH, [*TRUTH, Heading(2, "Noise")]) == pytest.approx(4 / 5)


def test_another_level_costs_half():
    assert heading_similarity([TRUTH[0], TRUTH[3]], [TRUTH[0], Heading(3, "Two")]) == pytest.approx(1 - 0.5 / 2)


def test_another_parent_costs_a_deletion_and_an_insertion():
    assert heading_similarity(TRUTH, [*TRUTH[:3], Heading(3, "Two")]) == pytest.approx(1 - 2 / 4)


def test_a_misread_letter_costs_its_share_of_the_text():
    found = [TRUTH[0], TRUTH[1], Heading(3, "Deer"), TRUTH[3]]
    assert heading_similarity(TRUTH, found) == pytest.approx(1 - 0.25 / 4)


def test_the_same_table():
    table = grid(("a", "b"), ("1", "2"))
    assert table_similarity(table, grid(("a", "b"), ("1", "2"))) == 1


def test_teds_counted_by_hand():
    truth = grid(("a", "b"), ("10", "20"))  # 7 nodes: the table, 2 rows, 4 cells
    assert table_similarity(truth, grid(("a", "b"), ("10", "25"))) == pytest.approx(1 - 0.5 / 7)
    assert table_similarity(truth, grid(("a", "b"))) == pytest.approx(1 - 3 / 7)  # a row and its two cells
    assert table_similarity(truth, grid(("a", "b"), ("10", "20"), ("30", "40"))) == pytest.approx(1 - 3 / 10)
    assert table_similarity(truth, grid(("a",), ("10",))) == pytest.approx(1 - 2 / 7)


def test_a_merged_cell_must_be_merged():
    truth = grid((Cell("a", colspan=2),), ("1", "2"))  # 6 nodes
    assert table_similarity(truth, truth) == 1
    assert table_similarity(truth, grid(("a",), ("1", "2"))) == pytest.approx(1 - 1 / 6)
    # Written out as "a", "": one cell is replaced at the cost of 1, one inserted; 7 nodes.
    assert table_similarity(truth, grid(("a", ""), ("1", "2"))) == pytest.approx(1 - 2 / 7)


def test_reading_order():
    assert reading_order_similarity("one two", "one two") == 1
    assert reading_order_similarity("abcdefghij", "fghijabcde") == pytest.approx(0)  # halves the wrong way round
    assert reading_order_similarity("abcdefghij", "abcdefghi") == pytest.approx(0.9)
