"""Forms: boxes of all widths are read one by one, and are no table."""

import pytest

from khub.components.converters.pdf.layout import Ruling

pytestmark = pytest.mark.unit
CUTS = {100: (300,), 130: (), 160: (220, 420), 190: (360,), 220: (180, 480)}
FIELDS = [
    (75, 110, "Name of the person"), (305, 110, "Number of the form"),
    (75, 140, "Address with street and house"),
    (75, 170, "City"), (225, 170, "State or province"), (425, 170, "Code"),
    (75, 200, "Total of all wages paid"), (365, 200, "77,586"),
    (75, 230, "Day"), (185, 230, "Signature of the person"), (485, 230, "Place"),
]  # fmt: skip


def boxes():
    lines = [Ruling(70, y, 540, y) for y in (*CUTS, 250)]
    lines += [Ruling(x, 100, x, 250) for x in (70, 540)]
    bottoms = [*list(CUTS)[1:], 250]
    for (top, cuts), bottom in zip(CUTS.items(), bottoms, strict=True):
        lines += [Ruling(x, top, x, bottom) for x in cuts]
    return lines


def test_each_box_of_a_form_is_a_line_of_its_own(lay_out, seg):
    text = lay_out([seg(x, y, words, 8) for x, y, words in FIELDS], rulings=boxes())
    lines = [line for block in text.blocks for line in block.text.splitlines()]
    assert not any(block.kind == "table" for block in text.blocks)
    assert {"Name of the person", "Address with street and house", "State or province"} <= set(lines)


def test_a_number_in_a_box_of_its_own_goes_with_the_words_on_its_line(lay_out, seg):
    text = lay_out([seg(x, y, words, 8) for x, y, words in FIELDS], rulings=boxes())
    assert "Total of all wages paid 77,586" in [line for block in text.blocks for line in block.text.splitlines()]
