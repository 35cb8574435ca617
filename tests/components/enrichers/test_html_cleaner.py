import pytest
from haystack import Document

from components.enrichers.html_cleaner import HtmlCleaner

pytestmark = pytest.mark.unit


def clean(text: str) -> str:
    return HtmlCleaner().run([Document(content=text)])["documents"][0].content or ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a <!-- hidden\nnote --> b", "a  b"),
        ("<script>alert(1 < 2)</script>text<style>p { x }</style>", "text"),
        ('<span class="x">word</span> and <b>bold</b>', "word and bold"),
        ("one<br/>two<br>three", "one\ntwo\nthree"),
        ("| a<br/> b | c |\n| d<br>\n", "| a b | c |\n| d\n"),
        ("<tr><td>Ember</td><td>300</td></tr>", "\nEmber | 300\n"),
        ("R&amp;D&nbsp;costs &lt;5&#37;", "R&D costs <5%"),
        ("![](data:image/png;base64,AAAA) after", " after"),
        ("List<String> of <your-name> when 1 < 2 && 3 > 2", "List<String> of <your-name> when 1 < 2 && 3 > 2"),
        ("use `<div>` and `&amp;`", "use `<div>` and `&amp;`"),
        ("```html\n<div>&amp;</div>\n```\n<div>x</div>", "```html\n<div>&amp;</div>\n```\n\nx\n"),
    ],
)
def test_html_goes_and_code_stays(text: str, expected: str) -> None:
    assert clean(text) == expected


def test_pages_stay_in_step() -> None:
    text = "<p>one</p>\n\n<p>two</p>"
    document = Document(content=text, meta={"page_starts": [0, text.index("<p>two")]})
    cleaned = HtmlCleaner().run([document])["documents"][0]
    assert (cleaned.content or "")[cleaned.meta["page_starts"][1] :].strip() == "two"
