import pytest

from khub.components.converters.markdown_table import Cell, lay_out, one_line, write_row_groups, write_table

pytestmark = pytest.mark.unit


def test_spans_fill_rows_and_join_headers():
    rows = [
        [Cell("Name", rows=2, header=True), Cell("Year", columns=2, header=True)],
        [Cell("a", header=True), Cell("b", header=True)],
        [Cell("x", rows=2), Cell("wide", columns=2)],
        [Cell("1"), Cell("2")],
    ]
    grid, headers = lay_out(rows)
    assert headers == 2
    assert grid == [["Name", "Year", "Year"], ["Name", "a", "b"], ["x", "wide", ""], ["x", "1", "2"]]
    assert write_table(grid, headers).splitlines()[0] == "| Name | Year a | Year b |"


def test_empty_columns_and_rows_go():
    assert write_table([["a", "", "b"], ["", "", ""], ["1", "", ""]]) == "| a | b |\n| --- | --- |\n| 1 |  |"
    assert write_table([["", ""]]) == ""
    assert write_table([["1", "2"], ["3", "4"]], headers=0).splitlines()[0] == "|  |  |"


def test_groups_of_rows_repeat_the_header():
    rows = [["name", "value"], *([f"row {n}", "x" * 20] for n in range(10))]
    text = write_row_groups(rows, limit=150)
    groups = text.split("\n\n")
    assert len(groups) > 2
    assert all(group.startswith("| name | value |\n| --- | --- |\n| row ") for group in groups)
    assert all(len(group) <= 150 for group in groups)
    assert [line for line in text.splitlines() if line.startswith("| row")] == [
        f"| row {n} | {'x' * 20} |" for n in range(10)
    ]
    assert "\n\n" not in write_row_groups(rows, limit=10_000)
    assert "\n\n" not in write_row_groups(rows, headers=0, limit=150)


def test_one_line():
    assert one_line(" a\n b | c \\| d") == "a b \\| c \\| d"
