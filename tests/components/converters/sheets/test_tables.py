import pytest

from khub.components.converters.sheets.rows import filled_rows, spread_merged
from khub.components.converters.sheets.tables import sheet_markdown

pytestmark = pytest.mark.unit


def markdown(rows, merged=()):
    return sheet_markdown(spread_merged(filled_rows(rows), merged))


def test_tables_below_and_beside_each_other():
    rows = [
        ["a", "b", "", "", ""],
        ["1", "2", "", "x", "y"],
        ["3", "4", "", "5", "6"],
        ["", "", "", "7", "8"],
        [],
        ["c", "d", "", "", ""],
        ["9", "10", "", "", ""],
    ]
    assert markdown(rows) == "\n\n".join(
        f"| {head} |\n| --- | --- |\n{body}"
        for head, body in (
            ("a | b", "| 1 | 2 |\n| 3 | 4 |"),
            ("x | y", "| 5 | 6 |\n| 7 | 8 |"),
            ("c | d", "| 9 | 10 |"),
        )
    )


def test_an_empty_row_or_column_inside_a_table_parts_nothing():
    assert markdown([["name", "", "count"], [], ["a", "", "1"], ["b", "", "2"], [], ["", "", "3"]]) == (
        "| name | count |\n| --- | --- |\n| a | 1 |\n| b | 2 |\n|  | 3 |"
    )


def test_lines_above_a_table_and_single_cells():
    assert markdown([["Report 2024"], ["a", "b"], ["1", "2"], [], ["Source: us"]]) == (
        "Report 2024\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nSource: us"
    )
    assert markdown([["Read me"], ["and this"]]) == "Read me\n\nand this"
    assert markdown([["count"], ["1"], ["2"]]) == "| count |\n| --- |\n| 1 |\n| 2 |"


def test_a_table_without_header_gets_none_of_its_rows_as_one():
    assert markdown([["a", "1"], ["b", "2"]]) == "|  |  |\n| --- | --- |\n| a | 1 |\n| b | 2 |"
    assert markdown([["", "2023", "2024"], ["a", "1", "2"]]).startswith("|  | 2023 | 2024 |")


def test_merged_cells():
    rows = [["Name", "Year", ""], ["", "2023 plan", "2024 plan"], ["a", "1", "2"], ["", "3", "4"], ["wide", "", ""]]
    merged = [(0, 0, 1, 0), (0, 1, 0, 2), (2, 0, 3, 0), (4, 0, 4, 2)]
    assert markdown(rows, merged) == (
        "| Name | Year 2023 plan | Year 2024 plan |\n| --- | --- | --- |\n| a | 1 | 2 |\n| a | 3 | 4 |\n\nwide"
    )
    rows.append(["b", "5", "6"])
    assert "| wide |  |  |\n| b | 5 | 6 |" in markdown(rows, merged)


def headed(text):
    """The first cells of the tables' heads, and the lines outside of tables."""
    blocks = text.split("\n\n")
    return [block.split(" | ")[0].removeprefix("| ") for block in blocks]


PLAN = [["Region", "Plan", "Actual"], ["North", "10", "11"], ["South", "20", "21"]]
STAFF = [["Name", "Role", "Since"], ["Lee", "Buyer", "2019"], ["Ray", "Clerk", "2021"]]
ROOMS = [["Room", "Use", "Floor"], ["A1", "Lab", "first"], ["B2", "Store", "second"]]


@pytest.mark.parametrize("below", [STAFF, ROOMS])
@pytest.mark.parametrize("empty", [0, 1, 3])
def test_a_title_and_a_head_begin_another_table(below, empty):
    gap = [[""]] * empty
    assert headed(markdown([*PLAN, *gap, ["Second"], *below])) == ["Region", "Second", below[0][0]]


@pytest.mark.parametrize("below", [STAFF, ROOMS])
def test_a_head_that_does_not_fit_begins_another_table(below):
    assert headed(markdown([*PLAN, [], *below])) == ["Region", below[0][0]]


def test_tables_of_words_are_parted_by_two_empty_rows_only():
    assert headed(markdown([*ROOMS, [], [], ["Door", "Key", "Holder"], ["D1", "K1", "Lee"]])) == ["Room", "Door"]
    assert headed(markdown([*ROOMS, [], ["C3", "Office", "third"], ["D4", "Hall", "third"]])) == ["Room"]


def test_a_section_of_a_table_stays_in_it():
    assert headed(markdown([*PLAN, ["Abroad"], ["West", "5", "6"], ["East", "7", "8"]])) == ["Region"]
    assert headed(markdown([*PLAN, [], ["Abroad"], ["West", "5", "6"], ["East", "7", "8"]])) == ["Region"]


def beside(left, right, down=0, between=1):
    height = max(len(left), len(right) + down)
    right = [[]] * down + right
    rows = []
    for index in range(height):
        row = left[index] if index < len(left) else []
        rows.append([*row, *[""] * (len(left[0]) + between - len(row)), *(right[index] if index < len(right) else [])])
    return rows


@pytest.mark.parametrize("down", [0, 1, 2])
@pytest.mark.parametrize("between", [1, 2])
def test_tables_beside_each_other(down, between):
    codes = [["Code", "Meaning"], ["R7", "Rework"], ["S2", "Scrap"]]
    assert headed(markdown(beside(PLAN, codes, down, between))) == ["Region", "Code"]
    assert headed(markdown(beside(codes, ROOMS, down, between))) == ["Code", "Room"]


def test_tables_beside_each_other_have_their_own_titles_and_may_have_one_in_common():
    left, right = ([[title, "", ""], *rows] for title, rows in (("Sales", PLAN), ("Staff", STAFF)))
    text = markdown([["All of 2025"], *beside(left, right)], [(0, 0, 0, 6)])
    assert headed(text) == ["All of 2025", "Sales", "Region", "Staff", "Name"]


def test_an_empty_column_within_a_table_parts_nothing():
    assert headed(markdown(beside([["Item", "Unit"], ["Rent", "EUR"]], [["2023", "2022"], ["5", "6"]]))) == ["Item"]
    cities = [["City", "State"], ["Ulm", "BW"], ["Ulm", "BW"]]
    assert headed(markdown(beside([["Name", "Role"], ["Lee", "Buyer"], ["Ray", "Clerk"]], cities))) == ["Name"]


def test_a_cell_that_stands_apart_is_text():
    rows = beside(PLAN, [["see the notes"]], down=1)
    assert headed(markdown(rows)) == ["Region", "see the notes"]
    assert headed(markdown([["2025 sales"], [], *PLAN], [(0, 0, 0, 2)])) == ["2025 sales", "Region"]
