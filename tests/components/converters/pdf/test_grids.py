"""Drawn grids: a form above a table, labels that no line parts, numbered fields, and lines that are no grid."""

import pytest

from khub.components.converters.pdf.layout import Ruling

pytestmark = pytest.mark.unit
FORM = {100: (300,), 125: (220, 420), 150: (360,), 175: (180, 480)}
COLUMNS = (330, 400, 470)
ROWS = (200, 225, 250, 275, 300, 325)


def box_lines(left, right, cuts, bottom):
    tops = list(cuts)
    lines = [Ruling(left, y, right, y) for y in (*tops, bottom)]
    lines += [Ruling(x, tops[0], x, bottom) for x in (left, right)]
    for top, end in zip(tops, [*tops[1:], bottom], strict=True):
        lines += [Ruling(x, top, x, end) for x in cuts[top]]
    return lines


def rows(text):
    lines = [line for block in text.blocks if block.kind == "table" for line in block.text.splitlines()]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "---" not in line]


def texts(text):
    return [line for block in text.blocks if block.kind != "table" for line in block.text.splitlines()]


def test_a_form_and_a_table_in_one_grid_are_read_each_in_its_way(lay_out, seg):
    cuts = FORM | dict.fromkeys(ROWS[:-1], COLUMNS)
    page = [
        seg(75, 112, "Name of the fund", 8), seg(305, 112, "Number of the file", 8), seg(75, 137, "City", 8),
        seg(225, 137, "State or province", 8), seg(425, 137, "Code", 8), seg(75, 162, "Kind of accounting", 8),
        seg(365, 162, "Cash", 8), seg(75, 187, "Day", 8), seg(185, 187, "Signature of the officer", 8),
    ]  # fmt: skip
    page += [seg(x, 212, word, 8) for x, word in ((75, "Item"), (335, "Books"), (405, "Income"), (475, "Gifts"))]
    for y, label, number in (
        (237, "Rents", "41"),
        (262, "Dividends", "52"),
        (287, "Sales", "63"),
        (312, "Total", "156"),
    ):
        page += [seg(75, y, label, 8), seg(375, y, number, 8)]
    text = lay_out(page, rulings=box_lines(70, 540, cuts, ROWS[-1]))
    assert {"Name of the fund", "State or province", "Signature of the officer"} <= set(texts(text))
    assert ["Dividends", "52"] in [[cell for cell in row if cell] for row in rows(text)]
    assert not any("State or province" in cell for row in rows(text) for cell in row)


def test_labels_that_no_line_parts_stand_in_the_rows_of_their_figures(lay_out, seg):
    tops = [100 + 15 * at for at in range(8)]
    lines = [Ruling(70, 100, 500, 100), Ruling(70, 115, 500, 115), Ruling(70, 220, 500, 220)]
    lines += [Ruling(400, y, 500, y) for y in tops]
    lines += [Ruling(x, 100, x, 220) for x in (70, 400, 500)]
    page = [seg(75, 111, "Item", 8), seg(405, 111, "Amount", 8)]
    labels = ("Rents", "Dividends", "Royalties", "Sales", "Gifts", "Interest", "Total")
    for at, label in enumerate(labels):
        page += [seg(75, 126 + 15 * at, label, 8), seg(470, 126 + 15 * at, str(11 * (at + 1)), 8)]
    found = rows(lay_out(page, rulings=lines))
    assert all(row in found for row in (["Rents", "11"], ["Dividends", "22"], ["Gifts", "55"], ["Total", "77"]))


def test_numbered_fields_are_rows_of_their_own_and_say_their_number_once(lay_out, seg):
    lines = box_lines(70, 540, dict.fromkeys((100, 150, 180, 210), (440, 470)), 240)
    page = [seg(75, 112, "1", 8), seg(90, 112, "Attach the statement that the instructions require.", 8)]
    fields = (
        (127, "a", "Did the fund file a return?", "1a", "Yes"), (142, "b", "Did it change its charter?", "1b", "No"),
        (167, "2", "Enter the rents", "2", "41"), (197, "3", "Enter the sales", "3", "52"),
        (227, "4", "Add lines 2 and 3", "4", "93"),
    )  # fmt: skip
    for y, *texts_of_row in fields:
        page += [seg(x, y, words, 8) for x, words in zip((75, 90, 445, 480), texts_of_row, strict=True)]
    found = [[cell for cell in row if cell] for row in rows(lay_out(page, rulings=lines))]
    assert ["a Did the fund file a return?", "Yes"] in found
    assert ["b Did it change its charter?", "No"] in found
    assert ["4 Add lines 2 and 3", "93"] in found


def test_two_fields_beside_each_other_are_two_rows(lay_out, seg):
    lines = box_lines(70, 540, dict.fromkeys((100, 120, 140, 160), (200, 240, 400)), 180)
    page = []
    for y, left, right in ((112, "1 Wages", "2 Tips"), (132, "3 Interest", "4 Dividends"), (152, "5 Rents", "6 Gains")):
        page += [seg(75, y, left, 8), seg(205, y, "17", 8), seg(245, y, right, 8), seg(405, y, "23", 8)]
    page += [seg(75, 172, "7 Total", 8), seg(205, 172, "99", 8)]
    found = [[cell for cell in row if cell] for row in rows(lay_out(page, rulings=lines))]
    assert ["3 Interest", "17"] in found
    assert ["4 Dividends", "23"] in found


def test_lines_through_running_text_are_no_grid(lay_out, seg, prose):
    lines = box_lines(60, 560, dict.fromkeys((190, 230, 260, 290), (250, 400)), 330)
    text = lay_out(prose(y=200, lines=10), rulings=lines)
    assert not any(block.kind == "table" for block in text.blocks)


def test_a_head_over_empty_columns_is_not_lost(lay_out, seg):
    lines = box_lines(70, 540, dict.fromkeys((100, 120, 140, 160), (200, 300, 420)), 180)
    heads = ((75, "Property"), (205, "How acquired"), (305, "Day acquired"), (425, "Day sold"))
    page = [seg(x, 112, words, 8) for x, words in heads]
    page += [seg(75, y, word, 8) for y, word in ((132, "Warehouse"), (152, "Shop"), (172, "Field"))]
    assert rows(lay_out(page, rulings=lines))[0] == ["Property", "How acquired", "Day acquired", "Day sold"]


def test_fields_of_a_form_without_boxes_are_lines_and_no_table(lay_out, seg, prose):
    page = [
        seg(72, 100, "Case Number: 150109"), seg(330, 100, "Agency: Bureau of Welfare"),
        seg(72, 116, "Age: 1 Year"), seg(330, 116, "Gender:"), seg(400, 116, "Male"),
        seg(72, 132, "Language: Finnish"), seg(72, 148, "Special needs: None known"), seg(330, 148, "Level:"),
        seg(400, 148, "B"), seg(72, 164, "Date: 01/09/2015"),
    ]  # fmt: skip
    page += prose(y=200, width=500)
    text = lay_out(page, rulings=[Ruling(110, y, 300, y) for y in (102, 118, 134, 150)])
    assert not any(block.kind == "table" for block in text.blocks)
