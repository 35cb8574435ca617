"""Readers of a PDF that give a text for each page."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pypdfium2

from khub.eval.lab.documents.engines import MAX_MB

PageEngine = Callable[[Path, list[int]], dict[int, str]]
"""File, numbers of pages from 1 -> the Markdown of each."""


def khub() -> PageEngine:
    """Return the hub's own reader: it reads the whole document."""
    from khub.components.converters.conversion import build_markitdown, convert_bytes

    markitdown = build_markitdown()

    def read(file: Path, numbers: list[int]) -> dict[int, str]:
        converted = convert_bytes(markitdown, file.read_bytes(), file.name, MAX_MB)
        starts = [*converted["page_starts"], len(converted["text"])]
        return {number: converted["text"][starts[number - 1] : starts[number]] for number in numbers}

    return read


def markitdown() -> PageEngine:
    """Return MarkItDown as it comes; it does not tell pages apart, so that each is read from a file of its own."""
    from markitdown import MarkItDown

    converter = MarkItDown()

    def read(file: Path, numbers: list[int]) -> dict[int, str]:
        found = {}
        for number in numbers:
            with single_page(file, number) as page:
                found[number] = converter.convert(page).markdown
        return found

    return read


def pdfium() -> PageEngine:
    """Return the lines of the text layer, as PDFium orders them."""

    def read(file: Path, numbers: list[int]) -> dict[int, str]:
        return {number: text.replace("\r\n", "\n\n") for number, text in text_layer(file, numbers).items()}

    return read


def pymupdf4llm() -> PageEngine:
    """Return PyMuPDF4LLM (AGPL, so never a part of the hub): `pip install "pymupdf4llm<1"`."""
    from pymupdf4llm import to_markdown

    def read(file: Path, numbers: list[int]) -> dict[int, str]:
        chunks = to_markdown(str(file), pages=[number - 1 for number in numbers], page_chunks=True)
        return {number: chunk["text"] for number, chunk in zip(numbers, chunks, strict=True)}

    return read


def text_layer(file: Path, numbers: list[int]) -> dict[int, str]:
    """Return the text layer of pages."""
    with pypdfium2.PdfDocument(file) as document:
        return {number: document[number - 1].get_textpage().get_text_range() for number in numbers}


@contextmanager
def single_page(file: Path, number: int) -> Iterator[Path]:
    """Give a file with one page of another."""
    with tempfile.TemporaryDirectory() as folder, pypdfium2.PdfDocument(file) as document:
        single = pypdfium2.PdfDocument.new()
        single.import_pages(document, [number - 1])
        path = Path(folder) / "page.pdf"
        single.save(path)
        single.close()
        yield path


ENGINES: dict[str, Callable[[], PageEngine]] = {
    "khub": khub,
    "markitdown": markitdown,
    "pdfium": pdfium,
    "pymupdf4llm": pymupdf4llm,
}
