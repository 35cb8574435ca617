import pytest

from components.converters.sheets.tables import filled_rows, sheet_markdown, spread_merged

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
        "| Name | Year 2023 plan | Year 2024 plan |\n| --- | --- | --- |\n| a | 1 | 2 |\n| a | 3 | 4 |\n| wide |  |  |"
    )
