"""Files that are dropped onto the window come in, from whichever page."""

import re

import pytest

from tests.dashboard.browser.test_walk import JOB_MS

pytestmark = pytest.mark.e2e
DROP = ("dragEnter", "dragOver", "drop")


@pytest.fixture
def folder(tmp_path):
    """A folder with two notes, one of them deeper, and what no walk takes."""
    deep = tmp_path / "team #1" / "birds"
    deep.mkdir(parents=True)
    (deep / "storks & 'owls' 🦉.md").write_text("# Storks\n\nStorks nest on chimneys.\n", encoding="utf-8")
    (deep.parent / "larks.md").write_text("# Larks\n\nLarks sing.\n", encoding="utf-8")
    (deep.parent / ".hidden.md").write_text("x", encoding="utf-8")
    return deep.parent


@pytest.fixture
def ready(shown, visit):
    """Return a function that opens a page which waits for what is dropped."""

    def opened(address):
        seen = visit()
        seen.go(shown + address)
        seen.page.get_by_text("Drop to add").wait_for(state="attached")
        return seen

    return opened


def drag(seen, path, *steps):
    """Drag a file or folder of the machine over the window as the system does."""
    protocol = seen.page.context.new_cdp_session(seen.page)
    data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
    for step in steps:
        protocol.send("Input.dispatchDragEvent", {"type": step, "x": 600, "y": 400, "data": data})


def test_a_folder_that_is_dropped_on_any_page_comes_in_with_its_names(ready, folder):
    seen = ready("documents?collection=demo")
    drag(seen, folder, *DROP[:2])
    veil = seen.page.get_by_text("Drop to add")
    veil.wait_for()
    drag(seen, folder, DROP[2])
    seen.page.wait_for_url("**/ingestion?**")
    seen.page.get_by_role("button", name=re.compile(r"Ingest \(2\)")).click()
    assert not veil.is_visible()
    seen.page.get_by_text("finished", exact=True).wait_for(timeout=JOB_MS)
    assert "collection=demo" in seen.page.get_by_role("link", name="Documents of this").get_attribute("href")
    seen.page.get_by_text("team #1/birds/storks & 'owls' 🦉.md").wait_for()


def test_files_that_a_page_gives_come_in_too(ready):
    seen = ready("ingestion?view=jobs")
    seen.page.evaluate(
        """() => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File(["# Wrens\\n"], "wrens.md"));
          const event = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
          document.querySelector("h1").dispatchEvent(event);
        }"""
    )
    seen.page.get_by_role("button", name=re.compile(r"Ingest \(1\)")).wait_for()
    seen.page.get_by_text("wrens.md").wait_for()
