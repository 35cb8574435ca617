"""Attack the service, and write down how it held: `python -m khub.eval.bench.attacks`.

It runs the tests of marker `soak` in `tests/soak/test_service*.py`, each of which holds what it measures to a bar, and
writes their figures to `eval/results/service-attacks.md`.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from khub.eval.machine import machine

REPOSITORY = Path(__file__).parents[2]
RESULT = REPOSITORY / "eval" / "results" / "service-attacks.md"
FIGURES = "KHUB_FIGURES"
"""Names the file to which those tests append their figures, a JSON object in each line."""


def main() -> None:
    """Run the tests; write the table if all of them pass."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        figures = Path(folder) / "figures.jsonl"
        tests = sorted(str(file.relative_to(REPOSITORY)) for file in REPOSITORY.glob("tests/soak/test_service*.py"))
        command = [sys.executable, "-m", "pytest", "-m", "soak", *tests, *sys.argv[1:]]
        done = subprocess.run(command, cwd=REPOSITORY, env={**os.environ, FIGURES: str(figures)}, check=False)
        if done.returncode:
            raise SystemExit(done.returncode)
        rows = [json.loads(line) for line in figures.read_text(encoding="utf-8").splitlines()]
    RESULT.write_text(report(rows, time.monotonic() - began), encoding="utf-8")


def report(rows: list[dict[str, Any]], seconds: float) -> str:
    """Return the table.

    :param rows: attack, measured, bar and test.
    :param seconds: that all of them took.
    """
    busy = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    on = f"{machine()}{busy}, {time.strftime('%Y-%m-%d')}"
    lines = [
        "# The service under attack",
        "",
        f"`python -m khub.eval.bench.attacks` wrote this in {seconds / 60:.1f} minutes; {on}.",
        "",
        "Each row is of a test in `tests/soak` that fails beyond the bar; `python -m pytest -m soak TEST -s` repeats",
        "it. A real `khub serve` answers by khub-fast; `+` is the most memory that its process takes beyond idle.",
        "",
        "| attack | bar | measured | test |",
        "| --- | --- | --- | --- |",
    ]
    for row in rows:
        test = row["test"].removeprefix("tests/soak/")
        lines.append(f"| {row['attack']} | {row['bar']} | {row['measured']} | `{test}` |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
