"""Boxes to tick that are drawn, not fields: which one is ticked is read."""

import pytest

pytestmark = pytest.mark.unit


@pytest.fixture
def form(new_page):
    return new_page().text(72, 740, "Report of an incident", 16).text(72, 700, "Gender:")


def square(page, x, y, crossed=False, more=""):
    page.draw(f"0.5 w {x} {y} 9 9 re S")
    return page.draw(f"{x} {y} m {x + 9} {y + 9} l S {x} {y + 9} m {x + 9} {y} l S") if crossed else page.draw(more)


def test_a_crossed_box_is_ticked_and_the_other_is_not(form, read):
    square(square(form, 130, 699), 200, 699, crossed=True).text(143, 700, "Female").text(213, 700, "Male")
    text = read([form]).pages[0]
    assert "[ ] Female" in text
    assert "[x] Male" in text


def test_a_letter_in_a_box_ticks_it(form, read):
    square(square(form, 130, 699), 200, 699).text(143, 700, "Female").text(213, 700, "Male").text(132, 701, "X", 8)
    text = read([form]).pages[0]
    assert "[x] Female" in text
    assert "[ ] Male" in text


def test_boxes_for_digits_and_squares_of_a_legend_are_none(form, read):
    for x in (130, 139, 148):
        square(form, x, 699)
    form.text(165, 700, "Number")
    for y in (640, 660):
        form.draw(f"0.9 0.2 0.2 rg 72 {y} 9 9 re B 0 g").text(85, y + 1, "Share of votes")
    text = read([form]).pages[0]
    assert "[ ]" not in text
    assert "[x]" not in text
