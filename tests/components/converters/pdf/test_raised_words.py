"""Exponents and marks of notes do not run into the number or word that they stand behind."""

import pytest

from khub.components.converters.pdf.layout import Ruling

pytestmark = pytest.mark.unit


def with_exponent(page, x, y, before, raised, after="", size=12):
    small, up = 0.6 * size, 0.4 * size
    return page.draw(
        f"BT /F1 {size} Tf 1 0 0 1 {x} {y} Tm ({before}) Tj /F1 {small} Tf {up} Ts ({raised}) Tj "
        f"/F1 {size} Tf 0 Ts ({after}) Tj ET"
    )


@pytest.mark.parametrize(
    ("before", "raised", "after", "said"),
    [
        ("About 10", "6", " cells were counted", "About 10^6 cells"),
        ("It grew to 4.2 x 10", "-5", " in a year", "10^-5 in a year"),
        ("A hall of 40 m", "2", " was built", "40 m² was built"),
        ("We sold 25 units", "1", " in May", "25 units¹ in May"),
        ("On the 2", "nd", " of May", "On the 2nd of May"),
    ],
)
def test_raised_numbers(new_page, read, before, raised, after, said):
    assert said in read([with_exponent(new_page(), 72, 700, before, raised, after)]).pages[0]


def test_lowered_digits_stay(new_page, read):
    page = new_page().draw(
        "BT /F1 12 Tf 1 0 0 1 72 700 Tm (Of H) Tj /F1 7 Tf -3 Ts (2) Tj /F1 12 Tf 0 Ts (O only) Tj ET"
    )
    assert "Of H2O only" in read([page]).pages[0]


def test_raised_numbers_in_a_table(new_page, read):
    page = new_page()
    for y in (710, 690, 670, 650):
        page.line(72, y, 400, y)
    for x in (72, 240, 400):
        page.line(x, 650, x, 710)
    page.text(80, 695, "Line").text(250, 695, "Cells").text(80, 675, "A").text(80, 655, "B")
    with_exponent(with_exponent(page, 250, 675, "10", "6"), 250, 655, "2 10", "7")
    assert "| A | 10^6 |" in read([page]).pages[0]


def test_a_mark_leads_to_its_note_where_there_is_one(lay_out, prose, seg):
    line = seg(72, 300, "We sold 25 units in May and 10 in June")
    line.words[3:4] = [line.words[3], line.words[3]._replace(text="1", spaced=False, raised=True)]
    line.words[9:9] = [line.words[8]._replace(text="6", spaced=False, raised=True)]
    note = seg(72, 720, "1 Without returns of the year before", 7)
    note.words[0] = note.words[0]._replace(raised=True)
    text = lay_out([*prose(), line, note], rulings=[Ruling(72, 705, 200, 705)]).pages[0]
    assert "25 units[^1] in May" in text
    assert "10^6 in June" in text
    assert "[^1]: Without returns" in text
