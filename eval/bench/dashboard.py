"""How fast the pages are on a large hub: `python -m khub.eval.bench.dashboard --help`.

A hub of many small documents (khub-fast) and many traces, made once in `--work`; the pages in Debian's `chromium`. A
page is interactive when Streamlit has run it to its end; it is changed by the menu. Results go to
`eval/results/dashboard.md`.
"""

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from khub.eval.bench.browser import Visit, browser, served
from khub.eval.bench.corpus import Corpus
from khub.eval.bench.foundation import use_home
from khub.eval.bench.traces import many
from khub.eval.machine import machine
from khub.eval.run.files import write_file
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from khub.server.traces.index import read_traces
from khub.server.traces.log import write_trace

RESULT = Path(__file__).parents[1] / "results" / "dashboard.md"
COLLECTION = "large"
CHARACTERS = 600
FOLDERS = 100
PAGES = ("", "overview", "documents", "ingestion", "ingestion_runs", "query_runs", "evaluation")
COLD_S, WARM_S, CHANGE_S = 10.0, 3.0, 0.8
CHANGED = """([page, before]) => location.pathname.endsWith("/" + page)
    && document.querySelector("h1") && document.querySelector("h1").innerText !== before
    && document.querySelector("[data-test-script-state=notRunning]")"""
REPEATS = 3

Row = tuple[str, float | None, float, float | None]
"""What was done; seconds at first, again, and by the menu."""


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=Path("bench-data"), help="folder for generated files and the hub")
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--traces", type=int, default=50_000)
    options = parser.parse_args()
    home = options.work.absolute() / f"home-dashboard-{options.documents}-{options.traces}"
    use_home(home)
    _filled(options.work.absolute(), home, options.documents, options.traces)
    with served(KHUB_HOME=str(home)) as address, browser() as chromium:
        rows = [*_opened(chromium, address), *_used(chromium, address)]
    report = _report(rows, options.documents, options.traces)
    sys.stdout.write(report)
    write_file(RESULT, report)


def _filled(work: Path, home: Path, documents: int, traces: int) -> None:
    """Fill the hub, unless it is filled already."""
    done = home / "filled"
    if done.exists():
        return
    corpora = (Corpus("en", seed=5), Corpus("zh", seed=5))
    files = work / f"files-dashboard-{documents}"
    for number in range(documents):
        file = files / str(number % FOLDERS) / f"{number}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(corpora[number % 2].document(CHARACTERS), encoding="utf-8")
    result = ingest([str(files)], COLLECTION, "ingest_fast")
    if result.failed:
        raise SystemExit(f"{len(result.failed)} of the files failed: {result.failed[0]}")
    questions = [corpus.question() for _ in range(50) for corpus in corpora]
    for question in questions:
        ask(question, COLLECTION)
    for record in many(read_traces(len(questions), "query"), traces):
        write_trace(record)
    done.touch()


def _opened(chromium: Any, address: str) -> list[Row]:
    """Return for each page its seconds in a browser that has seen nothing yet, the slowest again, and by the menu."""
    rows: list[Row] = []
    for page in PAGES:
        context = chromium.new_context(viewport={"width": 1280, "height": 900})
        seen = Visit(context.new_page())
        seconds = [_timed(partial(seen.go, address + page)) for _ in range(1 + REPEATS)]
        changes = [_changed_to(seen, address, page) for _ in range(REPEATS)]
        _check(seen)
        rows.append((page or "ask", seconds[0], max(seconds[1:]), max(changes)))
        context.close()
    return rows


def _changed_to(seen: Visit, address: str, page: str) -> float:
    """Return the seconds from a click in the menu to the page, from another one."""
    seen.go(address + ("overview" if page != "overview" else ""))
    before = seen.page.locator("h1").first.inner_text()
    entry = seen.page.locator(f"[data-testid=stPageLink-NavLink][href='{page}']").first

    def change() -> None:
        entry.click()
        seen.page.wait_for_function(CHANGED, arg=[page, before])

    return _timed(change)


def _used(chromium: Any, address: str) -> list[Row]:
    """Return what a visitor does, and the seconds until the page stands still again."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    seen = Visit(context.new_page())
    rows: list[Row] = []
    question = Corpus("zh", seed=6).question()
    seen.go(address)

    def asked() -> None:
        seen.page.get_by_label("Question").fill(question)
        seen.page.get_by_role("button", name="Ask", exact=True).click()
        seen.page.wait_for_selector(".reader .lead:not(:empty)")

    rows.append(("ask a question", None, _timed(asked), None))
    for name, page, words in (
        ("find documents by words", "documents", "9999"),
        ("find traces by words", "query_runs", "(4321)"),
    ):
        seen.go(f"{address}{page}?collection={COLLECTION}")
        rows.append((name, None, _timed(partial(_searched, seen, words)), None))
    _check(seen)
    context.close()
    return rows


def _searched(seen: Visit, words: str) -> None:
    box = seen.page.get_by_role("textbox").first
    box.fill(words)
    box.press("Enter")
    seen.page.wait_for_timeout(100)
    seen.settled()


def _check(seen: Visit) -> None:
    if seen.errors or seen.elsewhere:
        raise SystemExit(f"errors: {seen.errors}, other hosts: {seen.elsewhere}")


def _timed(work: Callable[[], None]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _shown(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.2f}"


def _report(rows: list[Row], documents: int, traces: int) -> str:
    lines = [
        "# The dashboard on a large hub",
        "",
        "`python -m khub.eval.bench.dashboard`",
        "",
        f"{documents:,} documents, {traces:,} traces; {machine()}, {time.strftime('%Y-%m-%d')}. Each page in a browser",
        f"that has seen nothing yet (bar {COLD_S:g} s), the slowest of {REPEATS} times again (bar {WARM_S:g} s),",
        f"and the slowest of {REPEATS} changes to it by the menu (bar {CHANGE_S:g} s).",
        "No page showed an error in the console, or asked another host for anything: else there would be no table.",
        "",
        "| what | first, s | again, s | by the menu, s |",
        "| --- | ---: | ---: | ---: |",
        *(f"| {name} | {_shown(first)} | {_shown(again)} | {_shown(change)} |" for name, first, again, change in rows),
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
