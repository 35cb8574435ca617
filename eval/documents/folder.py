"""Every file of a folder through the hub's reader, each in a process of its own."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[2]
PAGE_S = 30  # what a page may take
START_S = 30  # what starting the process and comparing the words may take
OTHER_PAGES = 4  # pages that a file counts as whose pages cannot be counted


def read_pages(folder: Path) -> Iterator[dict[str, Any]]:
    """Read the PDF files of a folder.

    :returns: for each what `read_file` returns, with `file` and `outcome`: `read`, `failure` (with `error`), `crash`
        or `hang`.
    """
    for file in sorted(folder.glob("*.pdf")):
        yield read_one(file)


def read_all(folder: Path) -> Iterator[dict[str, Any]]:
    """Read all files of a folder, whatever they are; a row as `read_pages` gives."""
    for file in sorted(file for file in folder.rglob("*") if file.is_file()):
        yield read_one(file)


def read_one(file: Path) -> dict[str, Any]:
    """Read a file in a process of its own and wait no longer than its pages may take."""
    made = {"file": file.name, "outcome": "read"}
    command = [sys.executable, "-m", "eval.documents.read_file", str(file.absolute())]
    with tempfile.TemporaryFile() as complaints:
        try:
            done = subprocess.run(
                command, cwd=REPOSITORY, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=complaints,
                timeout=START_S + PAGE_S * _pages(file), check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return {**made, "outcome": "hang", "error": f"still running after {PAGE_S} s a page"}
        if done.returncode:
            complaints.seek(0)
            lines = complaints.read().decode("utf-8", "replace").strip().splitlines()
            return {**made, "outcome": "crash", "error": f"exit status {done.returncode}: {(lines or ['?'])[-1]}"}
    answer = json.loads(done.stdout.decode("utf-8").splitlines()[-1])
    return {**made, **answer, "outcome": "failure" if "error" in answer else "read"}


def _pages(file: Path) -> int:
    import pypdfium2

    try:
        with pypdfium2.PdfDocument(file) as document:
            return max(1, len(document))
    except pypdfium2.PdfiumError:
        return OTHER_PAGES
