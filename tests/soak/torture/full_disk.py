"""Ingests into file systems of a few megabytes, each of which is full at another moment of the ingest."""

import contextlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from khub.eval.bench.corpus import Corpus
from tests.soak.torture.worker import INGEST, QUERY, REPOSITORY, environment, use_hub

FILES = 250
CHARACTERS = 6_000
LARGE = "1g"
BLOCKS = (1 << 16, 1)
MISSED = re.compile(r"dense index: \d of 1000 chunks are not found by their own vector")


def run(work: Path, smallest_mb: int = 8, largest_mb: int = 22, step_mb: int = 1) -> dict[str, Any]:
    """Fill file systems of growing size; ask, delete and ingest while they are full, then give them room.

    :returns: how many file systems were filled (0 where none can be made), how many commands said that there is no
        room, how many documents could be deleted nevertheless, and `wrong`.
    """
    files = work / "files"
    files.mkdir()
    corpus = Corpus("en", seed=7)
    for number in range(FILES):
        (files / f"{number}.md").write_text(corpus.document(CHARACTERS), encoding="utf-8")
    totals: dict[str, Any] = {"sizes": 0, "refused": 0, "deleted": 0, "wrong": []}
    for megabytes in range(smallest_mb, largest_mb + 1, step_mb):
        with small_disk(work / f"{megabytes}m", f"{megabytes}m") as disk:
            if disk is None:
                break
            totals["sizes"] += 1
            totals["wrong"] += [f"{megabytes} MB: {wrong}" for wrong in _filled(disk, files, corpus, totals)]
    return totals


def _filled(disk: Path, files: Path, corpus: Corpus, totals: dict[str, Any]) -> Iterator[str]:
    home = disk / "home"
    use_hub(home)
    ingest = ("ingest", str(files), "--graph", INGEST)
    yield from _told(_khub(home, *ingest), 1, totals)
    ready = _ready()
    for filler, block in enumerate(BLOCKS):
        with contextlib.suppress(OSError), (disk / f"filler{filler}").open("wb", buffering=0) as file:
            while file.write(bytes(block)):
                pass
    if ready:
        yield from _told(_khub(home, "query", corpus.question(), "--graph", QUERY), 0, totals)
        done = _khub(home, "delete", min(ready))
        yield from _told(done, done.returncode, totals)
        gone = {min(ready)} if done.returncode == 0 else set()
        totals["deleted"] += len(gone)
        if _ready() != (ready := ready - gone):
            yield "a delete took more or less than its document"
    yield from _told(_khub(home, *ingest), 1, totals)
    if not ready <= _ready():
        yield "what was committed did not stay"
    subprocess.run(["mount", "-o", f"remount,size={LARGE}", str(disk)], check=True)
    yield from _told(_khub(home, *ingest), 0, totals)
    if len(_ready()) != FILES:
        yield f"{len(_ready())} of {FILES} documents in the end"
    found = json.loads(_khub(home, "doctor", "--json").stdout)
    yield from (f"doctor: {problem}" for problem in _problems(found))


def _told(done: "subprocess.CompletedProcess[str]", code: int, totals: dict[str, Any]) -> Iterator[str]:
    refused = done.stderr.count("khub: there is no room for more in ")
    totals["refused"] += done.returncode == 1
    if done.returncode != code or refused != (code == 1):
        yield f"{done.args[3]} ended with {done.returncode}: {done.stderr[-500:]}"
    if "Traceback" in done.stderr or done.stderr.count("cannot be written") > 1:
        yield f"{done.args[3]} said too much: {done.stderr[-500:]}"


def _khub(home: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "khub.server.cli", *arguments]
    return subprocess.run(
        command, cwd=REPOSITORY, env=environment(home), capture_output=True, encoding="utf-8", check=False
    )


def _ready() -> set[str]:
    from khub.components.catalog.catalog import open_catalog

    catalog = open_catalog()
    rows = {row["source"] for row in catalog.documents.of_collection("default", "ready")}
    catalog.database.close()
    return rows


def _problems(found: Any) -> list[str]:
    """Return what the doctor has found; a search that is not exact misses some, whatever has happened."""
    told = [problem for one in found["collections"] for problem in one["problems"]]
    return [problem for problem in told if not MISSED.fullmatch(problem)]


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path | None]:
    """Give a file system of a size, such as `24m`; None where none can be made."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    try:
        made = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except OSError:  # there is no such program
        made = False
    try:
        yield folder if made else None
    finally:
        if made:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)
