"""Documents as PDF files, by Chromium and by LibreOffice; what is made once is kept."""

import hashlib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from khub.components.errors import EvaluationError
from khub.eval.lab.documents.html import to_html
from khub.eval.lab.documents.model import Document
from khub.eval.lab.documents.open_document import to_open_document

TIMEOUT_S = 120
AT_A_TIME = 24  # documents that one LibreOffice prints
PACKAGES = {"chromium": "chromium", "soffice": "libreoffice-writer-nogui"}


@dataclass(frozen=True)
class Renderer:
    """A program that makes PDF files.

    :param name: as shown.
    :param program: as it is called.
    :param suffix: of the files that it reads.
    :param write: makes such a file's text.
    """

    name: str
    program: str
    suffix: str
    write: Callable[[Document], str]

    @property
    def missing(self) -> str:
        """Why it cannot run; empty when it can."""
        if shutil.which(self.program):
            return ""
        return f"no program {self.program!r}: install the Debian package {PACKAGES[self.program]!r}"


CHROMIUM = Renderer("chromium", "chromium", ".html", to_html)
LIBREOFFICE = Renderer("libreoffice", "soffice", ".fodt", to_open_document)
RENDERERS = {renderer.name: renderer for renderer in (CHROMIUM, LIBREOFFICE)}


def render(documents: list[Document], renderer: Renderer, work: Path) -> list[Path]:
    """Print documents; those that lie there already are left as they are.

    :param work: folder for sources and PDF files.
    :returns: the PDF file of each.
    :raises KhubError: when the program prints one not.
    """
    folder = work / renderer.name
    folder.mkdir(parents=True, exist_ok=True)
    files = [_source(document, renderer, folder) for document in documents]
    waiting = [(d, file) for d, file in zip(documents, files, strict=True) if not file.with_suffix(".pdf").exists()]
    if renderer is CHROMIUM:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(_print_page, [file for _, file in waiting]))
    else:
        for outline in (False, True):
            chosen = [file for document, file in waiting if document.style.outline is outline]
            for start in range(0, len(chosen), AT_A_TIME):
                _print_texts(chosen[start : start + AT_A_TIME], outline)
    return [_made(file, renderer) for file in files]


def _source(document: Document, renderer: Renderer, folder: Path) -> Path:
    text = renderer.write(document)
    digest = hashlib.sha256(text.encode("utf-8")).hexdigest()[:12]
    file = folder / f"{document.name}.{digest}{renderer.suffix}"
    if not file.exists():
        for old in folder.glob(f"{document.name}.*"):
            old.unlink()
        file.write_text(text, encoding="utf-8")
    return file


def _print_page(file: Path) -> None:
    with tempfile.TemporaryDirectory() as profile:
        _call([
            CHROMIUM.program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-pdf-tagging",
            "--no-pdf-header-footer", f"--user-data-dir={profile}", f"--print-to-pdf={file.with_suffix('.pdf')}",
            file.as_uri(),
        ])  # fmt: skip


def _print_texts(files: list[Path], outline: bool) -> None:
    chosen = {"ExportBookmarks": outline, "UseTaggedPDF": False}
    options = json.dumps({name: {"type": "boolean", "value": str(value).lower()} for name, value in chosen.items()})
    with tempfile.TemporaryDirectory() as profile:
        _call([
            LIBREOFFICE.program, "--headless", f"-env:UserInstallation={Path(profile).as_uri()}", "--convert-to",
            f"pdf:writer_pdf_Export:{options}", "--outdir", str(files[0].parent), *map(str, files),
        ])  # fmt: skip


def _call(command: list[str]) -> None:
    subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=TIMEOUT_S,
        check=False,
    )  # fmt: skip


def _made(file: Path, renderer: Renderer) -> Path:
    pdf = file.with_suffix(".pdf")
    if not pdf.exists():
        raise EvaluationError(f"{renderer.program} did not print {file}", "print it by hand to see why")
    return pdf
