"""Notebooks cell by cell, behind MarkItDown's front door."""

import base64
import binascii
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from markitdown import DocumentConverter, StreamInfo

from components.converters.office.pictures import PictureCollector
from components.converters.structured_result import StructuredResult
from components.errors import SourceError

_MAX_OUTPUT_LINES = 20
_MAX_OUTPUT_CHARACTERS = 1500
_PICTURE = re.compile(r"!\[([^\]\n]*)\]\((?:attachment:([^)\s]+)|data:[^)\n]*)\)")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_PICTURE_TYPES = ("image/png", "image/jpeg", "image/gif")


class NotebookConverter(DocumentConverter):
    """Reads a Jupyter notebook: text as it is, code and short outputs as code blocks, figures as pictures."""

    def accepts(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> bool:  # noqa: ARG002
        """Accept by extension alone."""
        return stream_info.extension == ".ipynb"

    def convert(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> StructuredResult:  # noqa: ARG002
        """Read the cells.

        :param file_stream: the notebook, in UTF-8.
        :param stream_info: its `filename` is used in messages.
        :returns: the Markdown, the title and authors of the metadata, and the pictures.
        :raises SourceError: when it is no notebook.
        """
        name = stream_info.filename or "the file"
        try:
            book = json.loads(file_stream.read().decode("utf-8"))
        except ValueError as error:
            raise _no_notebook(name, "it is no JSON") from error
        if not isinstance(book, dict) or not isinstance(book.get("cells", book.get("worksheets")), list):
            raise _no_notebook(name, "it has no cells")
        metadata = _mapping(book.get("metadata"))
        pictures = PictureCollector()
        blocks = [block for cell in _cells(book) for block in _cell(cell, _language(metadata), pictures) if block]
        authors = [one.get("name") for one in metadata.get("authors") or [] if isinstance(one, dict)]
        return StructuredResult(
            "\n\n".join(blocks),
            title=metadata.get("title"),
            metadata={"author": ", ".join(filter(None, authors)), "programming_language": _language(metadata)},
            pictures=pictures.pictures,
        )


def _cells(book: dict[str, Any]) -> Iterator[dict[str, Any]]:
    sheets = [book] if "cells" in book else book["worksheets"]
    for sheet in sheets:
        yield from (cell for cell in sheet.get("cells") or [] if isinstance(cell, dict))


def _cell(cell: dict[str, Any], language: str, pictures: PictureCollector) -> Iterator[str]:
    source = _text(cell.get("source", cell.get("input"))).strip("\n")
    kind = cell.get("cell_type")
    if kind == "markdown":
        attached = cell.get("attachments") or {}
        yield _PICTURE.sub(lambda found: _attached(found, attached, pictures), source).strip()
    elif kind == "heading":
        yield f"{'#' * int(cell.get('level') or 1)} {source}"
    elif source.strip():
        yield fenced(source, language if kind == "code" else "")
    for output in cell.get("outputs") or [] if kind == "code" else []:
        yield from _output(output, pictures)


def _output(output: dict[str, Any], pictures: PictureCollector) -> Iterator[str]:
    data = _mapping(output.get("data")) or output
    picture = next((data[kind] for kind in _PICTURE_TYPES if data.get(kind)), None) or output.get("png")
    mark = pictures.add(_decoded(_text(picture))) if picture else ""
    yield mark
    if output.get("output_type") == "error" or "ename" in output:
        yield fenced(f"{output.get('ename')}: {output.get('evalue')}"[:_MAX_OUTPUT_CHARACTERS])
    elif "text/markdown" in data:
        yield _PICTURE.sub(r"\1", _shortened(_text(data["text/markdown"])))
    elif not mark:
        text = _shortened(_COLOURS.sub("", _text(data.get("text/plain", output.get("text")))).strip("\n"))
        yield f"Output:\n\n{fenced(text)}" if text.strip() else ""


def fenced(text: str, language: str = "") -> str:
    """Return text as a code block, within a fence that does not occur in it."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"^\s*(`{3,})", text, re.MULTILINE)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"


def _shortened(text: str) -> str:
    lines = text.splitlines()
    kept = "\n".join(lines[:_MAX_OUTPUT_LINES])[:_MAX_OUTPUT_CHARACTERS]
    return kept if len(kept) >= len(text.rstrip("\n")) else f"{kept}\n…"


def _attached(found: re.Match[str], attached: dict[str, Any], pictures: PictureCollector) -> str:
    data = attached.get(found[2] or "") or {}
    picture = next((value for value in data.values() if isinstance(value, str)), None)
    mark = pictures.add(_decoded(picture), found[1]) if picture else ""
    return f"\n\n{mark}\n\n{found[1]}" if mark else found[1]


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return None


def _language(metadata: dict[str, Any]) -> str:
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        found = metadata.get(key)
        if isinstance(found, dict) and isinstance(found.get(name), str):
            return str(found[name]).lower()
    return "python"


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(source: Any) -> str:
    return "".join(map(str, source)) if isinstance(source, list) else source if isinstance(source, str) else ""


def _no_notebook(name: str, reason: str) -> SourceError:
    return SourceError(f"{name!r} is no notebook ({reason})", "open and save it in Jupyter, or replace it")
