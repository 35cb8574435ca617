"""Tables side by side are read one after the other; a table whose rows go over the page stays one."""

import pytest

from khub.components.converters.pdf.tables import Table
from khub.components.converters.pdf.twin_tables import split_twins

pytestmark = pytest.mark.unit
LEFT = ["Rockford", "Quad Cities", "Peoria", "Springfield", "Decatur", "Southern Illinois", "Skokie", "Chicago"]
RIGHT = ["Twin Cities", "Kansas City", "St. Louis", "Lincoln", "Omaha", "Fargo", "Toledo", "Dayton"]


def rows(text):
    lines = [line for block in text.blocks if block.kind == "table" for line in block.text.splitlines()]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "---" not in line]


def test_lists_side_by_side_are_two_tables(lay_out, seg):
    page = []
    for at, name in enumerate(LEFT):
        page += [seg(70, 100 + 15 * at, name), seg(240, 100 + 15 * at, f"IL{at:02}")]
    for at, name in enumerate(RIGHT):  # they begin further down, and a word heads some of them
        if at % 3 == 0:
            page.append(seg(320, 115 + 15 * (at + at // 3), f"State {at}"))
        page += [seg(330, 130 + 15 * (at + at // 3), name), seg(500, 130 + 15 * (at + at // 3), f"MO{at:02}")]
    found = [[cell for cell in row if cell] for row in rows(lay_out(page))]
    assert ["Peoria", "IL02"] in found
    assert ["Lincoln", "MO03"] in found
    assert not any({"IL03", "MO02"} <= set(row) for row in found)


def test_rows_of_two_labels_and_two_values_stay_rows(lay_out, seg):
    page = []
    for at, (one, other) in enumerate(zip(LEFT, RIGHT, strict=True)):
        y = 100 + 15 * at
        page += [seg(70, y, one), seg(200, y, f"value{at}"), seg(320, y, other), seg(450, y, f"other{at}")]
    assert ["Peoria", "value2", "St. Louis", "other2"] in rows(lay_out(page))


def statement(heads):
    labels = (
        ("Cash", "Revenue"),
        ("Receivables", "Costs"),
        ("Inventory", "Sales fees"),
        ("Land", "Taxes"),
        ("Debt", "Profit"),
    )
    return Table(
        [heads, *([one, f"{at}", f"1{at}", other, f"2{at}", f"3{at}"] for at, (one, other) in enumerate(labels))],
        (0, 0, 600, 100),
        [0, 100, 200, 300, 400, 500, 600],
    )  # fmt: skip


def test_statements_side_by_side_are_parted_at_the_second_labels():
    left, right = split_twins(statement(["Balance", "2023", "2024E", "Income", "2023", "2024E"]))
    assert left.rows[0] == ["Balance", "2023", "2024E"]
    assert ["Taxes", "23", "33"] in right.rows
    assert right.box[0] == left.box[2] == 300


def test_a_unit_in_the_middle_begins_no_second_table():
    table = statement(["Item", "2023", "2024", "Unit", "2021", "2022"])
    table.rows = [table.rows[0], *([*row[:3], "t", *row[4:]] for row in table.rows[1:])]
    assert split_twins(table) == [table]
