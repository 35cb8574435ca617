"""What a document is: its opening and its chapters."""

import pytest

from khub.components.enrichers.summary import MOST_CHAPTERS, Part, summary_of

pytestmark = pytest.mark.unit

NOTICE = "All rights are reserved by the publisher of these pages."
SAID = "This manual tells warehouse staff how to charge and clean the Ember robot."
DETAIL = "Tighten the four screws of the left deck cover with two newton metres."


def part(*sentences, below=(), headings=()):
    return Part(headings, below, sentences)


def test_it_says_how_the_text_opens_on_what_it_is_about_and_what_follows():
    below = [(1, "Ember manual"), (2, "Charging"), (2, "Cleaning"), (3, "Wheels"), (2, "Storage")]
    summary = summary_of([part(NOTICE, SAID, DETAIL, below=below)], "Ember manual", ["robot", "warehouse staff"], 1)
    assert summary.startswith(SAID)
    assert [name in summary for name in ("Charging", "Cleaning", "Storage", "Wheels")] == [True, True, True, False]
    assert NOTICE not in summary


def test_two_lines_of_a_title_are_no_chapters_where_there_are_others():
    below = [(1, "Hamilton"), (1, "County"), (2, "Settlement"), (2, "Agriculture"), (2, "Towns")]
    assert "Agriculture" in summary_of([part(below=below)], "", [], 3)


def test_sections_without_a_heading_in_the_text_count_too_and_many_are_cut():
    sheets = [part(headings=["Prices"]), part(headings=["Stock"])]
    assert all(name in summary_of(sheets, "List", [], 3) for name in ("Prices", "Stock"))
    many = summary_of([part(below=[(1, f"Part {n}.") for n in range(30)])], "", [], 3)
    assert f"Part {MOST_CHAPTERS - 1}." in many
    assert f"Part {MOST_CHAPTERS}." not in many


def test_of_nothing_it_says_nothing_and_of_chinese_in_chinese():
    assert summary_of([part("Too short.")], "", [], 3) == ""
    text = "本制度适用于与公司签订劳动合同的全体员工以及实习生。"
    summary = summary_of([part(text, below=[(1, "总则"), (1, "审批"), (1, "附则")])], "差旅制度", ["员工"], 2)
    assert summary.startswith(text)
    assert "章节" in summary
