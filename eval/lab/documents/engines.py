"""Engines that read a PDF file into Markdown."""

from collections.abc import Callable
from pathlib import Path

Engine = Callable[[Path], str]
MAX_MB = 500.0


def khub() -> Engine:
    """Return the hub's own reader."""
    from khub.components.converters.conversion import build_markitdown, convert_bytes

    markitdown = build_markitdown()
    return lambda file: convert_bytes(markitdown, file.read_bytes(), file.name, MAX_MB)["text"]


def markitdown() -> Engine:
    """Return MarkItDown as it comes, with its extras for PDF (pdfminer.six and pdfplumber)."""
    from markitdown import MarkItDown

    converter = MarkItDown()
    return lambda file: converter.convert(file).markdown


ENGINES: dict[str, Callable[[], Engine]] = {"khub": khub, "markitdown": markitdown}
