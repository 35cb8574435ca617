"""What an upload costs: the processor time of `khub serve` and all that it starts, file by file.

See `python -m khub.eval.bench.uploads --help`.

Each measurement has a hub of its own and a service on a free port of 127.0.0.1. The time is that of all processes of
the service's tree, those that have ended and were waited for included, from the request until nobody of them is at
work. Linux alone tells that. Results go to `eval/results/uploads.json`; `eval/results/uploads.md` is written from it.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

from khub.eval.bench.corpus import Corpus
from khub.eval.bench.served_hub import QUIET_S, REPOSITORY, ServedHub, environment, serving
from khub.eval.machine import machine
from khub.eval.run.files import write_file

RESULTS = REPOSITORY / "eval" / "results" / "uploads.json"
CHARACTERS = 2500
"""Of a file: about a page."""
WARM = 2
"""From the upload after so many on the service counts as warm."""
LATER_BAR_S, SINGLE_BAR = 0.3, 2.0


class UploadRow(TypedDict):
    """What was measured of one way to run jobs.

    :ivar uploads_s: processor seconds of one upload after the other.
    :ivar single_s: of all files sent one by one to a service that has just started; `folder_s` of the same files in one
        job, `command_s` by `khub ingest` of their folder.
    :ivar at_rest_s: processor seconds that the service takes in a second in which nothing is asked of it.
    :ivar idle_mb: resident memory of the processes that wait for a job, those that they have started included.
    """

    name: str
    uploads_s: list[float]
    files: int
    single_s: float
    folder_s: float
    command_s: float
    at_rest_s: float
    idle_mb: int
    arguments: str
    machine: str
    date: str


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", default="a process that stays", help="of what is measured: a row of the table")
    parser.add_argument("--uploads", type=int, default=12, help="files sent one after the other, 3 or more")
    parser.add_argument("--files", type=int, default=30, help="sent one by one, and in one job")
    parser.add_argument("--work", type=Path, default=None, help="where the hubs are made, and removed from again")
    options = parser.parse_args()
    corpus = Corpus("en", seed=11)
    texts = [corpus.document(CHARACTERS).encode() for _ in range(max(options.uploads, options.files))]
    uploads, at_rest, idle_mb = _one_after_the_other(texts[: options.uploads], options.work)
    files = texts[: options.files]
    with serving(options.work) as service:
        single = service.cpu_of(lambda: _each_by_itself(service, files))
    with serving(options.work) as service:
        folder = service.cpu_of(lambda: service.upload(files))
    row: UploadRow = {
        "name": options.name,
        "uploads_s": [round(seconds, 3) for seconds in uploads],
        "files": len(files),
        "single_s": round(single, 2),
        "folder_s": round(folder, 2),
        "command_s": round(_command_s(files, options.work), 2),
        "at_rest_s": round(at_rest, 3),
        "idle_mb": idle_mb,
        "arguments": " ".join(sys.argv[1:]),
        "machine": machine(),
        "date": time.strftime("%Y-%m-%d"),
    }
    before = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else []
    rows = [*(one for one in before if one["name"] != row["name"]), row]
    write_file(RESULTS, json.dumps(rows, indent=1) + "\n")
    write_file(RESULTS.with_suffix(".md"), _report(rows))


def _one_after_the_other(texts: Sequence[bytes], work: Path | None) -> tuple[list[float], float, int]:
    """Return what each upload costs, what the service costs at rest, and the memory of the processes that wait."""
    with serving(work) as service:
        without = service.resident_mb()
        uploads = [service.cpu_of(lambda text=text: service.upload([text])) for text in texts]  # type: ignore[misc]
        before, began = service.cpu_s(), time.monotonic()
        time.sleep(5 * QUIET_S)
        at_rest = (service.cpu_s() - before) / (time.monotonic() - began)
        return uploads, at_rest, sum(service.resident_mb()[1:]) - sum(without[1:])


def _each_by_itself(service: ServedHub, texts: Sequence[bytes]) -> None:
    for text in texts:
        service.upload([text])


def _command_s(texts: Sequence[bytes], work: Path | None) -> float:
    """Return the processor seconds of `khub ingest` of a folder with the files."""
    with tempfile.TemporaryDirectory(dir=work) as folder:
        files = Path(folder) / "files"
        files.mkdir()
        for number, text in enumerate(texts):
            (files / f"{number}.md").write_bytes(text)
        command = [sys.executable, "-m", "khub.server.cli", "ingest", str(files)]
        before = os.times()
        own = {"KHUB_HOME": str(Path(folder) / "home")}
        subprocess.run(command, cwd=folder, env=environment(own), check=True, capture_output=True)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system


def _report(rows: Sequence[UploadRow]) -> str:
    last = rows[-1]
    heads = (
        "jobs run in", "first", "second", "later (median)", "later (most)", "at rest, per s", "idle process",
        f"{last['files']} one by one", "in one job", "ratio", "`khub ingest`",
    )  # fmt: skip
    lines = [
        "# Uploads",
        "",
        "Processor seconds of all processes of `khub serve`, from the request until they are at rest again: Markdown",
        f"files of a page ({CHARACTERS:,} characters) in the default graph, each sent by `POST /documents` when the",
        "job of the one before has ended. In the last columns the same files are sent one by one to a service that has",
        "just started, in one request, and given as a folder to `khub ingest`.",
        "",
        f"Bars: an upload from the third on {LATER_BAR_S} s at most; the files one by one at most {SINGLE_BAR:g} times",
        "as much as in one job. Each row is made by `python -m khub.eval.bench.uploads --name ROW`.",
        "",
        f"| {' | '.join(heads)} |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        later = row["uploads_s"][WARM:]
        cells = [
            row["name"], *(f"{seconds:.2f} s" for seconds in row["uploads_s"][:WARM]),
            f"{statistics.median(later):.2f} s", f"{max(later):.2f} s", f"{row['at_rest_s'] * 1000:.0f} ms",
            f"{row['idle_mb']} MB" if row["idle_mb"] > 0 else "none",
            f"{row['single_s']:.2f} s", f"{row['folder_s']:.2f} s", f"{row['single_s'] / row['folder_s']:.1f}",
            f"{row['command_s']:.2f} s",
        ]  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", f"On {last['machine']}, {last['date']}."]) + "\n"


if __name__ == "__main__":
    main()
