"""The title that a document prints on its first page."""

import pytest

from components.converters.pdf.outline import OutlineEntry

pytestmark = pytest.mark.unit


def test_the_largest_heading_wins_over_the_first(lay_out, prose, seg):
    page = [seg(72, 60, "Journal of Birds", 14), seg(72, 90, "How Herons Wade", 22), *prose()]
    assert lay_out(page).title == "How Herons Wade"


def test_a_part_that_any_document_has_is_no_title(lay_out, prose, seg):
    page = [seg(72, 60, "How Herons Wade", 18), seg(72, 110, "Abstract", 14), *prose(), seg(72, 300, "1 Birds", 14)]
    outline = [OutlineEntry("Abstract", 1, 1), OutlineEntry("1 Birds", 1, 1)]
    assert lay_out([*page, *prose(y=330)], outline=outline).title == "How Herons Wade"
    assert lay_out([seg(72, 60, "Table of Contents", 18), *prose()]).title is None


def test_below_running_text_there_is_no_title(lay_out, prose, seg):
    stamp = seg(72, 500, "EFiled January 14", 30)
    assert lay_out([seg(72, 60, "In re Heron", 16), *prose(), stamp]).title == "In re Heron"
    assert lay_out([*prose(y=60), stamp]).title is None


def test_a_cover_gives_its_lines_of_one_size(lay_out, prose, seg):
    cover = [
        seg(72, 60, "UNITED STATES", 20),
        seg(72, 84, "SECURITIES COMMISSION", 20),
        seg(72, 130, "Washington, D.C.", 10),
        seg(72, 170, "FORM 10-K", 20),
        seg(72, 210, "Commission file number 1-95", 10),
        seg(72, 250, "HERON CO., INC.", 20),
        *prose(y=320),
    ]
    assert lay_out(cover).title == "UNITED STATES SECURITIES COMMISSION · FORM 10-K · HERON CO., INC."


def test_what_stands_below_a_table_or_a_long_text_is_no_part_of_the_title(lay_out, prose, seg):
    page = [seg(72, 60, "Wading", 20), *prose(y=110, lines=3), seg(72, 200, "Feeding", 20), *prose(y=240)]
    assert lay_out(page).title == "Wading"


def test_the_second_line_of_small_capitals_belongs_to_the_title(lay_out, prose, seg):
    page = [seg(72, 60, "WEAK TO STRONG", 20), seg(72, 84, "GENERAL WADING", 16), *prose()]
    assert lay_out(page).title == "WEAK TO STRONG GENERAL WADING"
    other = [seg(72, 60, "WEAK TO STRONG", 20), seg(72, 84, "Ann Heron", 16), *prose()]
    assert lay_out(other).title == "WEAK TO STRONG"


def test_the_first_page_may_be_a_picture(lay_out, prose, seg):
    assert lay_out([], [seg(72, 60, "Manual", 20), *prose()]).title == "Manual"
    assert lay_out([], [], [seg(72, 60, "Manual", 20), *prose()]).title is None
