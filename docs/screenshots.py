"""Take the pictures of the dashboard that the pages show: `python -m docs.screenshots`; Debian's `chromium` draws them.

The hub is made anew from the samples of the repository, and forgotten again.
"""

import os
import tempfile
from pathlib import Path
from typing import Any

from khub.eval.bench.browser import Visit, browser, served
from khub.eval.commands.shared import SAMPLES
from khub.server.library.ingest import ingest

FOLDER = Path(__file__).parent / "guide" / "images"
SIZE = {"width": 1280, "height": 960}
QUESTIONS = {"en": "What does error code E-4012 mean?", "zh": "P6 员工去上海出差，住宿标准是每晚多少？"}
LOCALES = {"en": "en-US", "zh": "zh-CN"}
LINKS = {"en": "How it was found", "zh": "查看检索过程"}
DRAWN_MS = 2500
"""Charts move into their places."""


def main() -> None:
    """Fill a hub, open the pages in both languages, light and dark, and write what they look like."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["KHUB_HOME"] = folder
        ingest([str(SAMPLES)], "demo")
        with served() as address, browser() as chromium:
            for language in LOCALES:
                for scheme in ("light", "dark"):
                    _take(chromium, address, language, scheme)


def _take(chromium: Any, address: str, language: str, scheme: str) -> None:
    context = chromium.new_context(viewport=SIZE, locale=LOCALES[language], color_scheme=scheme)
    seen = Visit(context.new_page())
    seen.go(f"{address}?collection=demo&q={QUESTIONS[language]}")
    seen.page.wait_for_selector(".reader .leaf img")
    _save(seen, f"dashboard-ask-{language}-{scheme}")
    seen.page.get_by_role("button", name=LINKS[language]).click()
    seen.page.wait_for_url("**/query_runs?**")
    seen.settled()
    _save(seen, f"dashboard-trace-{language}-{scheme}")
    context.close()


def _save(seen: Visit, name: str) -> None:
    seen.page.wait_for_timeout(DRAWN_MS)
    seen.page.screenshot(path=FOLDER / f"{name}.png")
    if seen.errors or seen.elsewhere:
        raise SystemExit(f"{name}: errors {seen.errors}, other hosts {seen.elsewhere}")


if __name__ == "__main__":
    main()
