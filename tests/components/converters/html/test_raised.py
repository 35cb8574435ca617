"""Raised characters do not run into what stands before them."""

import pytest

from khub.components.converters.html.page_markdown import page_markdown
from khub.components.converters.html.parse import parse_html

pytestmark = pytest.mark.unit


def read(page):
    return page_markdown(parse_html(page))


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("10<sup>6</sup> cells", "10^6 cells"),
        ("5&times;10<sup>-3</sup>", "5×10^-3"),
        ("<i>10</i><sup><b>6</b></sup>", "*10*^6"),
        ("10<span style='vertical-align: super; font-size: 60%'>6</span>", "10^6"),
        ("10<span class='superscript'>6</span>", "10^6"),
        ("25 units<sup>1</sup>,", "25 units¹,"),
        ("12 m<sup>2</sup>", "12 m²"),
        ("a<sup>n+1</sup>", "a^(n+1)"),
        ("CO<sub>2</sub>, the 2<sup>nd</sup>", "CO2, the 2nd"),
        ("<span>10</span> <span>6</span>", "10 6"),
    ],
)
def test_exponents_marks_and_endings(page, text):
    assert read(f"<p>{page}</p>") == text
    assert read(f"<table><tr><td>{page}<td>x<tr><td>1<td>2</table>").startswith(f"| {text} | x |")


@pytest.mark.parametrize(
    "mark",
    [
        "<sup><a href='#n1'>1</a></sup>",
        "<a href='#n1'><sup>1</sup></a>",
        "<a epub:type='noteref' href='notes.xhtml#n1'>1</a>",
        "<a role='doc-noteref' href='#n1'>1</a>",
        "<sup><a epub:type='noteref' href='#n1'>1</a></sup>",
    ],
)
def test_a_mark_that_leads_to_its_note_is_one_behind_words_and_numbers(mark):
    assert read(f"<p>units{mark} of 2019{mark}.</p>") == "units[^1] of 2019[^1]."


def test_the_mark_before_a_note_does_not_run_into_its_first_word():
    assert read("<p>units<sup>1</sup></p><p><sup>1</sup>Per dose") == "units¹\n\n¹ Per dose"
    assert read("<p>10<br><sup>14</sup>C").split() == ["10", "¹⁴C"]


def test_links_from_a_note_back_to_its_marks_are_no_marks():
    assert read("<p>^ <a href='#r1'><sup>a</sup></a> <sup><a href='#r2'>b</a></sup> The source") == "^ a b The source"


def test_what_already_has_brackets_stays():
    assert read("<p>ducks<sup><a href='#cite-1'>[1]</a></sup></p>") == "ducks[1]"
    assert read("<p>ducks<sup><a href='https://a.b/c'>note</a></sup></p>") == "ducks[note](https://a.b/c)"
