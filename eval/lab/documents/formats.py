"""What becomes of every file of a folder, kind by kind: `python -m khub.eval.lab.documents.formats DIR…`."""

import os
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any
from unittest.mock import patch

import typer

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.document_row import DocumentRow
from khub.components.errors import EvaluationError
from khub.eval.lab.documents.report import markdown_table
from khub.eval.machine import machine
from khub.server.graphs.folder import graph_folder
from khub.server.library.ingest import ingest
from khub.server.library.ingest_result import IngestResult

UNREAD = ("needs_ocr", "garbled_pages", "damaged_pages")
QUICK = {
    "model: khub-base": "model: khub-fast",
    "ocr_reader.OcrReader\n    init_parameters: {}": "ocr_reader.OcrReader\n    init_parameters: {figures: false}",
}
"""What makes `pipelines/ingest.yaml` quicker and counts for nothing here: embedder, and OCR of figures in documents."""
REPORT = """# What becomes of files that people have

    {command}

{machine}, {day}.

Files of other people, through `pipelines/ingest.yaml` (khub-fast for khub-base, no OCR of the figures in documents).
**read**: a document, with all its pages. **told**: it failed, was passed over, or pages of it were left out, and the
ingest says which, why and what to do. **neither**: no word of it, or of some of its pages. **no words**: of those read,
pictures in which OCR found none.

## With OCR and LibreOffice

{both}

## Without either

{without}
"""


def measure(folders: Sequence[Path], bare: bool) -> list[dict[str, Any]]:
    """Ingest folders into a hub of their own, and return a row for each kind of file, and one for all.

    :param bare: as where neither OCR nor LibreOffice is installed.
    """
    with tempfile.TemporaryDirectory() as home, ExitStack() as stack:
        stack.enter_context(patch.dict(os.environ, {"KHUB_HOME": home}))
        if bare:
            stack.enter_context(patch("khub.components.converters.office.libreoffice._office", lambda: None))
            stack.enter_context(patch("khub.components.ocr.ocr_reader.is_installed", lambda: False))
        result = ingest([str(folder) for folder in folders], "files", quick_graph(Path(home)))
        return _rows(_files(folders), result)


def _rows(files: Sequence[str], result: IngestResult) -> list[dict[str, Any]]:
    documents = {row["source"]: row for row in open_catalog().documents.of_collection("files")}
    counts: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(("read", "told", "neither", "no words"), 0))
    for file in files:
        document = documents.get(file)
        outcome = _outcome(file, result, document)
        empty = outcome == "read" and document is not None and _has_no_words(document)
        for kind in (Path(file).suffix.lower() or "no ending", "all"):
            counts[kind][outcome] += 1
            counts[kind]["no words"] += empty
    return [{"kind": kind, **counts[kind]} for kind in (*sorted(set(counts) - {"all"}), "all")]


def _files(folders: Sequence[Path]) -> list[str]:
    """Return what an ingest of the folders should speak of."""
    return [
        str(file.absolute())
        for folder in folders
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.name.startswith(".")
    ]


def _outcome(file: str, result: IngestResult, document: DocumentRow | None) -> str:
    if any(entry["source"] == file and entry["remedy"] for entry in result.failed):
        return "told"
    if any(entry["source"] == file and entry["reason"] for entry in result.passed_over):
        return "told"
    if any(entry.get("source") == file and entry.get("pages") for entry in result.degraded):
        return "told"
    whole = document is not None and document["chunks"] and not any(document["meta"].get(key) for key in UNREAD)
    return "read" if whole else "neither"


def _has_no_words(document: DocumentRow) -> bool:
    pictures = open_catalog().images.of_document(document["doc_id"])
    return document["doc_type"] == "image" and not any(picture["text"] for picture in pictures)


def quick_graph(folder: Path) -> str:
    """Write `pipelines/ingest.yaml` into a folder with `QUICK` applied, and return its path."""
    text = (graph_folder() / "ingest.yaml").read_text(encoding="utf-8")
    for old, new in QUICK.items():
        if old not in text:
            raise EvaluationError(
                f"pipelines/ingest.yaml has no {old!r}", "adjust QUICK in eval/lab/documents/formats.py"
            )
        text = text.replace(old, new)
    path = folder / "quick.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def formats(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", exists=True, file_okay=False)],
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the tables and the command here.")] = None,
) -> None:
    """Count what is read, told, and neither, with and without OCR and LibreOffice; neither makes the exit code 1."""
    tables = {bare: measure(folders, bare) for bare in (False, True)}
    for table in tables.values():
        typer.echo(markdown_table(table) + "\n")
    if out:
        command = f"python -m khub.eval.lab.documents.formats {' '.join(folder.name for folder in folders)} --out {out}"
        both, without = (markdown_table(tables[bare]) for bare in (False, True))
        day = datetime.now(UTC).date().isoformat()
        report = REPORT.format(command=command, machine=machine(), day=day, both=both, without=without)
        out.write_text(report, encoding="utf-8")
    if any(row["neither"] for table in tables.values() for row in table):
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(formats)
