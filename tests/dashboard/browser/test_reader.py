"""The answer and its page in a browser: seen at once, and used by keys."""

import pytest

from tests.conftest import ROOT
from tests.dashboard.browser.test_pages import grave_findings

pytestmark = pytest.mark.e2e
QUESTION = "What does error code E-4012 mean?"
PLACE = "(one) => [one.getClientRects()[0].top, one.getClientRects()[0].bottom, innerHeight]"


def ask(seen, question, box="Question"):
    seen.page.get_by_label(box).first.fill(question)
    seen.page.keyboard.press("Enter")
    seen.page.get_by_role("heading", name=question).wait_for()
    seen.page.locator(".paper img, .paper .text").first.wait_for()


@pytest.mark.parametrize(
    ("locale", "scheme", "size", "box"), [("en-US", "light", "wide", "Question"), ("zh-CN", "dark", "narrow", "问题")]
)
def test_the_row_that_answers_is_seen_at_once_below_its_heads(shown, visit, locale, scheme, size, box):
    seen = visit(locale, size, scheme)
    seen.go(shown)
    ask(seen, QUESTION, box)
    _, heads_end, _ = seen.page.locator(".passage.active thead").evaluate(PLACE)
    row, row_end, height = seen.page.locator(".passage.active tr.evidence").first.evaluate(PLACE)
    assert 0 < heads_end <= row + 1
    assert row_end <= height
    assert seen.page.locator(".leaf .evidence").count()
    assert not grave_findings(seen.page)
    assert seen.page.evaluate("document.scrollingElement.scrollWidth - window.innerWidth") <= 0


def test_keys_walk_through_passages_and_back_to_the_question(shown, visit):
    seen = visit()
    seen.go(shown)
    ask(seen, QUESTION)
    page = seen.page
    page.locator("h1").click()
    page.keyboard.press("j")
    page.locator(".passage.active[data-number='2']").wait_for()
    title = page.locator(".passage.active .title").inner_text()
    page.locator(".sheet strong", has_text=title).wait_for()
    page.keyboard.press("k")
    page.locator(".passage.active[data-number='1']").wait_for()
    page.keyboard.press("/")
    page.keyboard.type("jk")
    assert page.get_by_label("Question").first.input_value() == "jk"  # while one types, they are letters
    page.get_by_label("Question").first.fill("")
    page.locator("h1").click()
    page.keyboard.press("o")
    page.wait_for_url("**/documents?**doc=*")


def test_pages_are_turned_and_enter_goes_on(shown, visit):
    seen = visit()
    seen.go(shown)
    ask(seen, QUESTION)
    page = seen.page
    first = page.locator(".leaf img").get_attribute("src")
    page.get_by_role("button", name="Previous page").click()
    page.locator(f".leaf img:not([src='{first}'])").wait_for()
    assert page.locator(".leaf .evidence").count() == 0
    page.locator(".lead .number").first.click()
    page.locator(".leaf .evidence").first.wait_for()
    ask(seen, "And E-4015?")
    page.get_by_text("searched for:").wait_for()
    page.get_by_text(f"1. {QUESTION}").click()
    page.get_by_role("heading", name=QUESTION).wait_for()


def test_parts_of_a_sentence_are_marked_where_they_stand(visit):
    """The evidence may be put together from parts of one text, as of a list that was shortened."""
    script = (
        (ROOT / "dashboard" / "browser" / "reader.js")
        .read_text(encoding="utf-8")
        .replace("export default function (", "function draw(")
    )
    seen = visit()
    seen.page.set_content("<p>Beacon 4.1 drops imports by mail and keeps those by upload, and those by folder.</p>")
    marked = seen.page.evaluate(
        f"""() => {{ {script}
            mark(document.querySelector("p"), "those by folder\\nimports by mail\\nimports by mail and keeps");
            return [...document.querySelectorAll("mark")].map((one) => one.textContent); }}"""
    )
    assert [one.partition(" and")[0] for one in marked] == ["imports by mail", "those by folder"]
    assert seen.page.locator("p").inner_text().endswith("those by folder.")
