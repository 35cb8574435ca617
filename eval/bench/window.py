"""Measure whether the line that answers is seen at once, and how soon: `python -m khub.eval.bench.window`.

A hub of the repository's samples, and the plain questions about them of `eval/lab/answers/sets`, then those in other
words; each is asked on the page Ask in Debian's `chromium`, in both sizes. Results go to `eval/results/window.md`.
"""

import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from khub.eval.bench.browser import Visit, browser, served
from khub.eval.commands.shared import SAMPLES
from khub.eval.machine import machine
from khub.eval.run.files import write_file
from khub.server.library.ingest import ingest
from khub.server.traces.index import RunFilter, find_runs

ROOT = Path(__file__).parents[1]
RESULT = ROOT / "results" / "window.md"
SETS = ROOT / "lab" / "answers" / "sets"
EACH = 20
"""Questions of a language."""
SIZES = {"1280x900": (1280, 900), "390x844": (390, 844)}
LOCALES = {"en": ("en-US", "Question"), "zh": ("zh-CN", "问题")}
WARM = "E-4012"
"""The first question loads the models."""
DRAWN_MS = 150
FOUND = """(selector) => [...document.querySelectorAll("*")].some((one) => one.shadowRoot?.querySelector(selector))"""
SEEN = """(mark) => {
    const frame = mark.closest(".text").getBoundingClientRect(), [line] = mark.getClientRects();
    return line.top >= Math.max(0, frame.top - 1) && line.bottom <= Math.min(innerHeight, frame.bottom + 1);
}"""


@dataclass(frozen=True)
class Asked:
    """What was seen of one question.

    :param seen: the line that answers stands in the window, without scrolling.
    :param marked: it is marked on the page, or in the text that stands in for it.
    :param waited_s: seconds from Enter to the answer, without those that the graph took.
    :param page_s: seconds from Enter to the page.
    """

    seen: bool
    marked: bool
    waited_s: float
    page_s: float


def main() -> None:
    """Ask, and write the table."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["KHUB_HOME"] = folder
        ingest([str(SAMPLES)], "demo")
        found = {}
        with served() as address, browser() as chromium:
            for language in LOCALES:
                for size in SIZES:
                    found[language, size] = _asked(chromium, address, language, size)
    report = _report(found)
    sys.stdout.write(report)
    write_file(RESULT, report)


def _questions(language: str) -> list[str]:
    files = [SETS / f"{kind}-{language}.jsonl" for kind in ("plain", "para")]
    cases = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return [case["question"] for case in cases if str(case["file"]).startswith("samples/")][:EACH]


def _asked(chromium: Any, address: str, language: str, size: str) -> dict[str, Asked]:
    locale, label = LOCALES[language]
    width, height = SIZES[size]
    context = chromium.new_context(viewport={"width": width, "height": height}, locale=locale)
    seen = Visit(context.new_page())
    found = {}
    for question in [WARM, *_questions(language)]:
        seen.go(address)
        found[question] = _ask(seen, label, question)
    if seen.errors or seen.elsewhere:
        raise SystemExit(f"errors: {seen.errors}, other hosts: {seen.elsewhere}")
    context.close()
    del found[WARM]
    return found


def _ask(seen: Visit, label: str, question: str) -> Asked:
    page = seen.page
    page.get_by_label(label).first.fill(question)
    began = time.perf_counter()
    page.keyboard.press("Enter")
    page.wait_for_function(FOUND, arg=".reader .lead:not(:empty)")  # at each frame: a selector has half a second
    answered = time.perf_counter() - began
    if page.locator(".reader .passage").count():
        page.wait_for_function(FOUND, arg=".reader .leaf img, .reader .paper .text")
    drawn = time.perf_counter() - began
    page.wait_for_timeout(DRAWN_MS)
    graph_s = find_runs(RunFilter(kinds=("query",)), 0, 1).runs[0].ms / 1000
    lines = page.locator(".reader .passage.active .text mark")
    seen_at_once = bool(lines.count() and lines.first.evaluate(SEEN))
    marked = page.locator(".reader .leaf .evidence, .reader .paper mark").count() > 0
    return Asked(seen_at_once, marked, answered - graph_s, drawn)


def _report(found: dict[tuple[str, str], dict[str, Asked]]) -> str:
    rows = [
        f"| {language} | {size} | {sum(one.seen for one in asked.values())} of {len(asked)} "
        f"| {sum(one.marked for one in asked.values())} of {len(asked)} "
        f"| {median(one.waited_s for one in asked.values()):.2f} | {median(one.page_s for one in asked.values()):.2f} |"
        for (language, size), asked in found.items()
    ]
    missed = [
        f"- {language}, {size}: {question}"
        for (language, size), asked in found.items()
        for question, one in asked.items()
        if not one.seen
    ]
    lines = [
        "# The answer in a browser",
        "",
        "`python -m khub.eval.bench.window`",
        "",
        f"{machine()}, {time.strftime('%Y-%m-%d')}. Questions about the samples. Seen: the first line",
        "that answers, of the first passage, stands in the window without scrolling. Marked: it is marked on the page",
        "beside it, or in the text where there are no pages. Seconds from Enter to the answer without the graph's own,",
        "and to the page (medians).",
        "",
        "| questions | window | seen | marked | answer, s | page, s |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
        *rows,
        "",
        *(["Not seen:", "", *missed, ""] if missed else []),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
