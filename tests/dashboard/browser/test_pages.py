"""Every page in a browser: no error, no other host, nothing that a screen reader trips over."""

import time

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.dashboard.conftest import PAGES

pytestmark = pytest.mark.e2e
NAMES = sorted(page.stem for page in PAGES.glob("*.py"))
INTERACTIVE_S = 30  # of a machine that runs other tests beside it; eval/bench/dashboard.py measures speed
GRAVE = {"serious", "critical"}
STREAMLITS_OWN = {"region"}
"""Rules that Streamlit's own frame breaks, whatever a page shows."""


STILL = """() => document.getAnimations().every(
    (one) => one.playState !== "running" || one.effect.getTiming().iterations === Infinity)"""


def grave_findings(page):
    page.wait_for_function(STILL)  # a colour on its way to another is neither
    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']} ({one['impact']}): {one['nodes'][0]['html'][:200]}: {one['nodes'][0]['failureSummary']}"
        for one in found
        if one["impact"] in GRAVE and one["id"] not in STREAMLITS_OWN
    ]


def address_of(shown, name):
    return shown + ("" if name == "ask" else name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("locale", "scheme", "size"), [("en-US", "light", "wide"), ("zh-CN", "dark", "narrow")])
def test_a_page_opens_and_everybody_can_read_it(shown, visit, name, locale, scheme, size):
    seen = visit(locale, size, scheme)
    start = time.monotonic()
    seen.go(address_of(shown, name))
    assert time.monotonic() - start < INTERACTIVE_S
    assert not grave_findings(seen.page)
    wider = seen.page.evaluate("document.scrollingElement.scrollWidth - window.innerWidth")
    assert wider <= 0, f"{wider} pixels are cut"
