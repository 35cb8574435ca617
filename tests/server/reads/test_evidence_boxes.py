"""Where on a page the words of a text stand."""

import pytest

from khub.server.reads.evidence_boxes import Character, evidence_boxes

pytestmark = pytest.mark.unit
HEIGHT, WIDTH = 10, 5


def page(*lines):
    """Return the characters of lines, each given as (left, top, text)."""
    return [
        Character(sign, (left + WIDTH * place, top, left + WIDTH * (place + 1), top + HEIGHT))
        for left, top, text in lines
        for place, sign in enumerate(text)
    ]


TWO_LINES = page((50, 100, "Herons wade slowly in shal-"), (50, 115, "low water. Badgers dig."))
ROWS = page(
    (50, 100, "E-4011"), (120, 100, "Wheel slip"), (300, 100, "Clean it"),
    (50, 115, "E-4012"), (120, 115, "Window"), (120, 127, "blocked"), (300, 115, "Clean it"),
)  # fmt: skip


def test_a_sentence_has_a_box_for_each_line_whatever_breaks_it():
    boxes = evidence_boxes(TWO_LINES, "**Herons** wade slowly in shallow water.")
    assert [(box[0], box[1]) for box in boxes] == [(50, 100), (50, 115)]
    assert boxes[1][2] < 50 + WIDTH * len("low water. B")


def test_a_row_is_found_by_its_cells_and_no_other_row():
    boxes = evidence_boxes(ROWS, "| E-4012 | Window blocked | Clean it |")
    assert {box[1] for box in boxes} == {115, 127}
    assert {box[0] for box in boxes} == {50, 120, 300}


def test_what_stands_twice_is_looked_for_in_the_passage():
    twice = page((50, 100, "Return the cup."), (50, 400, "Return the cup."))
    assert [box[1] for box in evidence_boxes(twice, "Return the cup.", [(40, 390, 300, 420)])] == [400]


def test_parts_are_found_where_the_whole_is_not():
    boxes = evidence_boxes(TWO_LINES, "Herons wade slowly, as they say, in shallow water")
    assert [box[1] for box in boxes] == [100, 115]


@pytest.mark.parametrize("evidence", ["", "---", "Nothing of the kind is said here"])
def test_what_is_not_there_has_no_box(evidence):
    assert evidence_boxes(page((50, 100, "12345 678")), evidence) == []
