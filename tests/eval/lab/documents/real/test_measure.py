"""What came out of a page beside what stands there."""

import pytest

from khub.eval.lab.documents.read_markdown import read_markdown
from khub.eval.lab.documents.real.measure import measure, summary
from khub.eval.lab.documents.real.page_text import headings_found, out_of_place, words_lost
from khub.eval.lab.documents.real.table_rows import row_figures
from khub.eval.lab.documents.real.written_page import WrittenPage
from tests.components.converters.files import PdfPage, write_pdf

pytestmark = pytest.mark.unit
TRUTH = """\
| | 2025 | 2024 |
| --- | --- | --- |
| Revenue | $44,538 | $37,403 |
| Cost of sales | (24,576) | (21,162) |
| 1. Net assets | 12% | — |
"""


def test_what_is_right_is_right_however_it_is_spaced():
    came = """\
|  | 2025 | 2024 |
| --- | --- | --- |
| Revenue ........ | $ 44,538 | $ 37,403 |
| Cost of sales | ( 24,576 ) | (21,162) |
| 1. | Net assets | 12 % | – |
"""
    figures = row_figures(read_markdown(TRUTH), came.replace("| 1. | Net", "| 1. Net"))
    assert (figures.rows_right, figures.rows) == (3, 3)
    assert figures.cells_right == figures.cells == 9
    assert figures.pairs_right == figures.pairs == 5
    assert figures.fused == 0


def test_of_a_long_cell_the_beginning_is_enough():
    truth = read_markdown("| Areas | Rules |\n| --- | --- |\n| Leave | Each employee has fifteen days … |\n")
    came = "| Areas | Rules |\n| --- | --- |\n| Leave | Each employee has fifteen days of leave a year. |\n"
    assert row_figures(truth, came).rows_right == 1
    assert row_figures(truth, came.replace("fifteen", "five")).rows_right == 0


def test_a_row_of_one_or_two_cells_may_stand_as_a_line_of_its_own():
    truth = read_markdown("| a | b |\n| --- | --- |\n| Last name | |\n| City | Bonn |\n| Revenue | 5 | 6 |\n")
    assert row_figures(truth, "Last name\n\nCity: Bonn\n\nRevenue 5 6\n").rows_right == 2
    assert row_figures(truth, "Last name City Bonn\n").rows_right == 0


def test_a_row_that_holds_several_is_fused_and_tells_nothing():
    came = """\
|  | 2025 | 2024 |
| --- | --- | --- |
| Revenue Cost of sales | $ 44,538 (24,576) | $37,403 (21,162) |
"""
    figures = row_figures(read_markdown(TRUTH), came)
    assert figures.rows_right == figures.pairs_right == 0
    assert figures.fused == 1


def test_lines_without_a_grid_tell_which_number_belongs_to_a_label():
    came = "Revenue $ 44,538 $ 37,403\nCost of sales (24,576) (21,162)\n1. Net assets 12% -\n"
    figures = row_figures(read_markdown(TRUTH), came)
    assert figures.rows_right == 0
    assert figures.pairs_right == figures.pairs
    wrong = row_figures(read_markdown(TRUTH), came.replace("44,538", "144,538"))
    assert wrong.pairs_right == figures.pairs - 1


def test_headings_are_known_though_a_letter_differs():
    assert headings_found(["1 Overview of the year", "2 Cash"], ["1. Overview of the  year", "Note", "2 Cash"]) == 2
    assert headings_found(["Cash"], ["Credit"]) == 0


def test_words_that_a_reader_loses_are_counted_but_for_running_heads():
    assert words_lost("Annual report\nherons wade here 7", ["Annual report", "7"], "herons wade") == (3, 1)


def test_blocks_that_would_have_to_move_are_counted():
    anchors = ["the first block", "the second block", "the third block", "one that is not there"]
    assert out_of_place(anchors, "the first block, the second block, the third block") == (3, 0)
    assert out_of_place(anchors, "the third block, the first block, the second block") == (3, 1)


def test_a_page_is_read_by_an_engine_and_compared(tmp_path):
    file = tmp_path / "report.pdf"
    file.write_bytes(write_pdf([PdfPage().text(72, 700, "Herons wade")]))
    page = WrittenPage("report", 1, (), read_markdown("Herons wade"))
    (row,) = measure([page], lambda _: file, lambda _, numbers: dict.fromkeys(numbers, "Herons wade"))
    assert (row["words"], row["words_lost"], row["error"]) == (2, 0, "")

    def broken(*_):
        raise ValueError("no PDF")

    (row,) = measure([page], lambda _: file, broken)
    assert "no PDF" in row["error"]
    assert summary([row])["failed"] == 1
    assert measure([page], lambda _: None, broken) == []
