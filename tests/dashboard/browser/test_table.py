"""A table in a browser: by mouse and by keyboard, on wide screens and on narrow ones."""

import re
import shutil

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.eval.bench.browser import served
from khub.server.reads.hub_reads import reader
from tests.dashboard.browser.test_pages import grave_findings
from tests.dashboard.conftest import COLLECTION

pytestmark = pytest.mark.e2e
MARKED = "<img src=x onerror=alert(1)> of E-4012"
LONG = "E-4012 " * 40


@pytest.fixture(scope="module")
def listed(made_hub, tmp_path_factory):
    """The address of a dashboard with documents whose titles are hard to show."""
    home = tmp_path_factory.mktemp("listed") / "hub"
    shutil.copytree(made_hub, home)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KHUB_HOME", str(home))
        first, second, *_ = [row for row in reader().documents(COLLECTION, 0, 10) if row["title"] != "Herons"]
        with open_catalog().database.transaction() as connection:
            for row, title in ((first, MARKED), (second, LONG)):
                connection.execute("UPDATE documents SET title = ? WHERE doc_id = ?", (title, row["doc_id"]))
        with served() as address:
            yield f"{address}documents"


def head(seen, name):
    return seen.page.get_by_role("columnheader", name=name)


def test_heads_sort_by_the_keyboard_and_keep_the_focus(listed, visit):
    seen = visit()
    seen.go(listed)
    for way in ("descending", "ascending"):
        button = head(seen, "Pages").get_by_role("button")
        button.focus()
        seen.page.keyboard.press("Enter")
        seen.page.locator(f"th[aria-sort={way}]", has_text="Pages").wait_for()
        assert button.evaluate("one => one.getRootNode().activeElement === one")
    assert "sort=pages" in seen.page.url


def test_rows_are_selected_one_by_one_and_all(listed, visit):
    seen = visit()
    seen.go(listed)
    boxes = seen.page.get_by_role("row").get_by_role("checkbox")
    boxes.nth(1).focus()
    seen.page.keyboard.press("Space")
    boxes.nth(2).check()
    seen.page.get_by_role("button", name="Change selected (2)").wait_for()
    assert boxes.first.evaluate("one => one.indeterminate")
    boxes.first.check()
    seen.page.get_by_role("button", name=f"Change selected ({boxes.count() - 1})").wait_for()
    assert not grave_findings(seen.page)
    head(seen, "Changed").get_by_role("button").click()
    seen.page.locator("th[aria-sort=ascending]", has_text="Changed").wait_for()
    assert boxes.nth(1).is_checked(), "sorted otherwise, the same are selected"


def test_a_link_keeps_the_visit_and_another_tab_is_another(listed, visit):
    seen = visit()
    seen.go(f"{listed}?lang=zh")
    link = seen.page.get_by_role("link", name="Herons")
    assert re.search(r"documents\?doc=\w+$", link.get_attribute("href"))
    with seen.page.context.expect_page() as opened:
        link.click(modifiers=["Control"])
    opened.value.get_by_role("heading", name="Herons", exact=True).first.wait_for()
    assert "doc=" not in seen.page.url
    link.click()
    seen.page.get_by_role("heading", name="Herons", exact=True).first.wait_for()
    assert "doc=" in seen.page.url


def test_data_are_text_and_codes_stay_whole_on_a_narrow_screen(listed, visit):
    seen = visit(size="narrow")
    seen.go(listed)
    seen.page.get_by_role("link", name=MARKED).wait_for()
    assert not seen.page.locator("table img").count()
    assert not head(seen, "Pages").is_visible()
    assert head(seen, "Attention").is_visible()
    codes = seen.page.locator("table a span", has_text="E-4012")
    assert codes.count() > 40
    assert codes.evaluate_all("all => all.every((one) => one.getClientRects().length === 1)")
    assert seen.page.evaluate("document.scrollingElement.scrollWidth - window.innerWidth") <= 0
