"""How fast the pages are on a large hub: `python -m khub.eval.bench.dashboard --help`.

A hub of many small documents (khub-fast) and many traces, made once in `--work`; the pages in Debian's `chromium`. A
page is interactive when Streamlit has run it to its end. Results go to `eval/results/dashboard.md`.
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
COLD_S, WARM_S = 10.0, 3.0
REPEATS = 3


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


def _opened(chromium: Any, address: str) -> list[tuple[str, float, float]]:
    """Return for each page: its name, seconds in a browser that has seen nothing yet, and the slowest again."""
    rows = []
    for page in PAGES:
        context = chromium.new_context(viewport={"width": 1280, "height": 900})
        seen = Visit(context.new_page())
        seconds = [_timed(partial(seen.go, address + page)) for _ in range(1 + REPEATS)]
        _check(seen)
        rows.append((page or "ask", seconds[0], max(seconds[1:])))
        context.close()
    return rows


def _used(chromium: Any, address: str) -> list[tuple[str, None, float]]:
    """Return what a visitor does, and the seconds until the page stands still again."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    seen = Visit(context.new_page())
    rows = []
    question = Corpus("zh", seed=6).question()
    seen.go(address)

    def asked() -> None:
        seen.page.get_by_label("Question").fill(question)
        seen.page.get_by_role("button", name="Ask", exact=True).click()
        seen.page.wait_for_selector("h2, h3")
        seen.settled()

    rows.append(("ask a question", None, _timed(asked)))
    for name, page, words in (
        ("find documents by words", "documents", "9999"),
        ("find traces by words", "query_runs", "(4321)"),
    ):
        seen.go(f"{address}{page}?collection={COLLECTION}")
        rows.append((name, None, _timed(partial(_searched, seen, words))))
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


def _report(rows: list[tuple[str, Any, float]], documents: int, traces: int) -> str:
    lines = [
        "# The dashboard on a large hub",
        "",
        "`python -m khub.eval.bench.dashboard`",
        "",
        f"{documents:,} documents, {traces:,} traces; {machine()}, {time.strftime('%Y-%m-%d')}. Each page in a browser",
        f"that has seen nothing yet (bar {COLD_S:g} s), and the slowest of {REPEATS} times again (bar {WARM_S:g} s).",
        "No page showed an error in the console, or asked another host for anything: else there would be no table.",
        "",
        "| what | first, s | again, s |",
        "| --- | ---: | ---: |",
        *(f"| {name} | {'' if first is None else f'{first:.1f}'} | {again:.1f} |" for name, first, again in rows),
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
