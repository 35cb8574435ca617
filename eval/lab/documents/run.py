"""Render documents, read them back, measure."""

import hashlib
import logging
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pypdfium2

from khub.eval.lab.documents.engines import ENGINES, Engine
from khub.eval.lab.documents.evaluate import evaluate
from khub.eval.lab.documents.model import Document
from khub.eval.lab.documents.render import RENDERERS, render


def measure(
    documents: Sequence[Document], renderers: Sequence[str], engines: Sequence[str], work: Path
) -> tuple[list[dict[str, Any]], list[str]]:
    """Measure engines on documents.

    :param renderers: names of programs; one that is missing is left out.
    :param engines: names of engines.
    :param work: folder for rendered files and for what an engine wrote (`read/ENGINE/RENDERER/NAME.md`).
    :returns: a row for each document, program and engine, with what `evaluate` returns and `name, language, renderer,
        engine, columns, pages, seconds, error`; and why programs were left out.
    """
    logging.getLogger("pdfminer").setLevel(logging.ERROR)
    rows: list[dict[str, Any]] = []
    reasons: list[str] = []
    readers = {name: _kept(ENGINES[name](), work) if name == "markitdown" else ENGINES[name]() for name in engines}
    for name in renderers:
        if reason := RENDERERS[name].missing:
            reasons.append(f"{name} is left out: {reason}")
            continue
        for document, file in zip(documents, render(list(documents), RENDERERS[name], work), strict=True):
            with pypdfium2.PdfDocument(file) as pdf:
                pages = len(pdf)
            for engine, reader in readers.items():
                markdown, about = _read(reader, file)
                _keep(work / "read" / engine / name / f"{document.name}.md", markdown)
                rows.append({
                    "name": document.name, "language": document.language, "renderer": name, "engine": engine,
                    "columns": document.style.columns, "pages": pages, **about, **evaluate(document, markdown),
                })  # fmt: skip
    return rows, reasons


def _read(reader: Engine, file: Path) -> tuple[str, dict[str, Any]]:
    started = time.perf_counter()
    try:
        markdown, error = reader(file), ""
    except Exception as raised:  # an engine that fails on a document gets nothing for it
        markdown, error = "", f"{type(raised).__name__}: {raised}"
    return markdown, {"seconds": round(time.perf_counter() - started, 3), "error": error}


def _kept(reader: Engine, work: Path) -> Engine:
    """Return a reader that remembers what it read: another's engine is slow and does not change."""

    def read(file: Path) -> str:
        digest = hashlib.sha256(file.read_bytes()).hexdigest()[:24]
        kept = work / "kept" / f"markitdown-{version('markitdown')}" / f"{digest}.md"
        if not kept.exists():
            _keep(kept, reader(file))
        return kept.read_text(encoding="utf-8")

    return read


def _keep(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8", newline="\n")
