"""Notebooks cell by cell, behind MarkItDown's front door."""

import base64
import binascii
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from markitdown import DocumentConverter, StreamInfo

from khub.components.converters.notebook_format_3 import as_format_4
from khub.components.converters.office.pictures import PictureCollector
from khub.components.converters.structured_result import StructuredResult
from khub.components.errors import SourceDamagedError
from khub.components.text.terminal_codes import without_terminal_codes

_MAX_OUTPUT_LINES = 20
_MAX_OUTPUT_CHARACTERS = 1500
_PICTURE = re.compile(r"!\[([^\[\]\n]*+)\]\((?:attachment|data):(?:(?!\]\()[^)\n])*+\)")


class NotebookConverter(DocumentConverter):
    """Reads a Jupyter notebook (format 3 or 4): text, code and short outputs as code blocks, figures as pictures.

    An own one, because MarkItDown's leaves the outputs out.
    """

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
        pictures = PictureCollector()
        try:
            book = json.loads(file_stream.read().decode("utf-8"))
            if "worksheets" in book:
                book = as_format_4(book)
            metadata = book.get("metadata", {})
            language = str(metadata.get("language_info", {}).get("name", "python")).lower()
            blocks = [block for cell in book["cells"] for block in _cell(cell, language, pictures) if block]
            authors = [one["name"] for one in metadata.get("authors", ())]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            remedy = "open and save it in Jupyter, or replace it"
            raise SourceDamagedError(
                f"{stream_info.filename or 'the file'!r} is no notebook ({error})", remedy
            ) from error
        return StructuredResult(
            "\n\n".join(blocks),
            title=metadata.get("title"),
            metadata={"author": ", ".join(authors), "programming_language": language},
            pictures=pictures.pictures,
        )


def _cell(cell: dict[str, Any], language: str, pictures: PictureCollector) -> Iterator[str]:
    source = "".join(cell["source"]).strip("\n")
    if cell["cell_type"] == "markdown":
        yield _PICTURE.sub(r"\1", source).strip()
        for attached in cell.get("attachments", {}).values():
            yield _picture(attached, pictures)
    elif source.strip():
        yield fenced(source, language if cell["cell_type"] == "code" else "")
    for output in cell.get("outputs", ()):
        yield from _output(output, pictures)


def _output(output: dict[str, Any], pictures: PictureCollector) -> Iterator[str]:
    data = output.get("data", {})
    mark = _picture(data, pictures)
    yield mark
    if output["output_type"] == "error":
        yield fenced(f"{output['ename']}: {output['evalue']}"[:_MAX_OUTPUT_CHARACTERS])
    elif "text/markdown" in data:
        yield _PICTURE.sub(r"\1", _shortened("".join(data["text/markdown"])))
    elif not mark and (text := _shortened("".join(data.get("text/plain", output.get("text", ""))).strip("\n"))):
        yield f"Output:\n\n{fenced(text)}"


def _picture(data: dict[str, Any], pictures: PictureCollector) -> str:
    found = next((data[kind] for kind in ("image/png", "image/jpeg", "image/gif") if kind in data), "")
    try:
        return pictures.add(base64.b64decode("".join(found)))
    except binascii.Error:
        return ""


def fenced(text: str, language: str = "") -> str:
    """Return text as a code block, within a fence that does not occur in it."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"^[^\S\n]*+(`{3,})", text, re.MULTILINE)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"


def _shortened(text: str) -> str:
    text = without_terminal_codes(text).rstrip("\n")
    kept = "\n".join(text.split("\n")[:_MAX_OUTPUT_LINES])[:_MAX_OUTPUT_CHARACTERS]
    return kept if len(kept) == len(text) else f"{kept}\n…"
