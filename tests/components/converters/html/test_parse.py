"""Pages are parsed by the rules of HTML5, wherever HTML is read; what Word writes for itself is gone."""

from email.message import EmailMessage

import pytest

from khub.components.converters.conversion import build_markitdown, convert_bytes
from khub.components.converters.html.page_markdown import page_markdown
from khub.components.converters.html.parse import parse_html
from tests.components.converters.books import book

pytestmark = pytest.mark.unit

TABLE = "<table><caption>Towns<tr><th>Town<th>Rain<tbody><tr><td>Oslo<td>120<tr><td>Rome<td>95</table>"
WHOLE_TABLE = "**Towns**\n\n| Town | Rain |\n| --- | --- |\n| Oslo | 120 |\n| Rome | 95 |"
LIST = "<ul><li>Close<li>Drain<ol><li>Hose<li>Wait</ol><li>Open</ul>"
WHOLE_LIST = "* Close\n* Drain\n  1. Hose\n  2. Wait\n* Open"


def read(page, name="a.html"):
    return convert_bytes(build_markitdown(), page if isinstance(page, bytes) else page.encode(), name, 50)["text"]


def mail(page):
    message = EmailMessage()
    message["Subject"] = "Towns"
    message.set_content(page, subtype="html")
    return bytes(message)


@pytest.mark.parametrize(("page", "text"), [(TABLE, WHOLE_TABLE), (LIST, WHOLE_LIST)], ids=["table", "list"])
def test_end_tags_may_be_left_out_in_files_mails_and_books(page, text):
    assert read(page) == text
    assert read(mail(page), "a.eml").endswith("\n\n" + text)
    assert read(book(page), "a.epub") == text


FOUR = "| a | b |\n| --- | --- |\n| c | d |"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>One<p>Two<section><h2>Three</h2></section>", "One\n\nTwo\n\n## Three"),
        ("<table><tr><td>a<td>b<tr><td>c<td>d</table>", FOUR),
        ("<table>Stray words<tr><td>a<td>b<tr><td>c<td>d</table>", f"Stray words\n\n{FOUR}"),
        ("<p><b>bold <i>both</b> it</i> plain", "**bold *both*** *it* plain"),
        ("<body><p>First</body></html><p>Behind the end", "First\n\nBehind the end"),
        ("<p>1 < 2 &amp 3 > 2", "1 < 2 & 3 > 2"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>", FOUR),
    ],
    ids=["paragraphs", "cells", "words between cells", "crossed", "behind the end", "signs", "with all its end tags"],
)
def test_the_rules_of_html5(page, text):
    assert read(page) == text


def test_terms_and_their_values_stay_apart():
    lines = read("<dl><dt>MTBF<dd>8,000 h<dd>at 20 °C<dt>MTTR<dd><p>4 h<p>or less</dl>").split("\n")
    assert {"MTBF", "MTTR"} <= set(lines)
    assert not any("MTTR" in line and "8,000" in line for line in lines)


def test_a_title_in_the_body_is_no_text():
    assert read("<head><div>Words</div><title>Its name</title></head><p>More") == "Words\n\nMore"


@pytest.mark.parametrize("head", ['<?xml version="1.0"?><html>', '<html xmlns="http://www.w3.org/1999/xhtml">'])
def test_an_empty_element_of_xhtml_ends_at_once(head):
    page = "<head><title/><script src='a>b.js'/></head><body><b id='x'/>One<p/><i class='page' />two<br/>three"
    assert read(f"{head}{page}</body></html>", "a.xhtml").split() == ["Onetwo", "three"]
    assert read("<p>One <b/>two</p>") == "One **two**"  # as browsers read HTML


WORD = '<html xmlns:o="urn:schemas-microsoft-com:office:office"><body>'
DATA = "<!--[if gte mso 9]><xml><o:x>junk</o:x></xml><![endif]--><xml><w:View>junk</w:View></xml>"
DRAWING = "<!--[if gte vml 1]><v:shape>junk</v:shape><![endif]--><![if !vml]><p>Shown</p><![endif]>"
NUMBER = "<span style='mso-list:Ignore'>2.1<span>&nbsp;&nbsp; </span></span>"
BULLET = "<span style='font-family:Symbol;mso-list:Ignore'>·<span>&nbsp;</span></span>"
SQUARE = "<span style='mso-list:Ignore'><span style='font-family:Wingdings'>§</span>&nbsp; </span>"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (f"<p>Before<o:p></o:p></p>{DATA}{DRAWING}", "Before\n\nShown"),
        (f"<p style='mso-list:l0 level1'><![if !supportLists]>{NUMBER}<![endif]>Second item", "2.1 Second item"),
        (f"<p>{BULLET}Plain<p>{SQUARE}Square", "* Plain\n\n* Square"),
        ("<![if !supportLists]><b>a)</b><![endif]>Letter", "a) Letter"),
        ("<!--[if !mso]><!--><p>For all others<!--<![endif]-->", "For all others"),
    ],
    ids=["data", "number", "bullets", "no style", "revealed"],
)
def test_signs_of_word_are_gone_and_its_lists_stay(page, text):
    assert read(WORD + page) == text
    assert read(mail(WORD + page), "a.eml") == f"# Towns\n\n{text}"


def test_a_page_of_which_word_knows_nothing_is_left_alone():
    assert page_markdown(parse_html("<xml><p>shown</p></xml>")) == "shown"
