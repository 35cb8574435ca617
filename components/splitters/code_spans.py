"""Source code in chunks along its definitions."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePath

from haystack import Document

from khub.components.splitters.chunk_spans import ChunkSpan, chunk_spans, trimmed
from khub.components.splitters.code_blocks import read_code_blocks
from khub.components.splitters.definitions import Definition, SourceCode
from khub.components.splitters.python_definitions import UnreadablePythonError, read_python
from khub.components.splitters.sections import pack_sections
from khub.components.splitters.text_length import TextLength

_PYTHON = {".py", ".pyi"}


def is_code(document: Document) -> bool:
    """Say whether a document is source code."""
    return document.meta.get("doc_type") == "code"


def code_spans(document: Document, length: TextLength, chunk_size: int, pack: float) -> Iterator[ChunkSpan]:
    """Cut source code into chunks.

    :param document: the code, as it stands in its file; the extension of `source` in its `meta` tells Python from
        other languages (and Python that does not parse is read as these are).
    :param length: measure of its text.
    :param chunk_size: greatest length of a chunk; a larger definition is cut at blank lines, else after lines.
    :param pack: share of `chunk_size` below which a definition takes in those after it while they fit; 0 to 1.
    :returns: the chunks in order. The section of each is the qualified name of what it is part of, "" for more than
        one definition at the top; its symbols are the names whose definitions begin in it, else that of the innermost
        one which it continues.
    """
    text = document.content or ""
    code = _read(text, str(document.meta.get("source") or ""), length, chunk_size)
    symbols = _Symbols(code.definitions)
    sections = pack_sections(code.sections, length, chunk_size, pack)
    for span in chunk_spans(text, sections, length, chunk_size, overlap=0, joint="."):
        start, end = trimmed(text, span.start, span.end)
        yield replace(span, symbols=symbols.between(start, end))


def _read(text: str, source: str, length: TextLength, chunk_size: int) -> SourceCode:
    def fits(start: int, end: int) -> bool:
        return length.of(*trimmed(text, start, end)) <= chunk_size

    if PurePath(source.replace("\\", "/")).suffix.lower() in _PYTHON:
        try:
            return read_python(text, fits)
        except UnreadablePythonError:
            pass
    return read_code_blocks(text, fits)


class _Symbols:
    def __init__(self, definitions: list[Definition]) -> None:
        self._definitions = sorted(definitions, key=lambda definition: definition.start)
        self._starts = [definition.start for definition in self._definitions]

    def between(self, start: int, end: int) -> tuple[str, ...]:
        begun = self._definitions[bisect_left(self._starts, start) : bisect_left(self._starts, end)]
        if not begun:
            before = self._definitions[: bisect_right(self._starts, start)]
            begun = [next((d for d in reversed(before) if d.end > start), Definition("", 0, 0))]
        return tuple(dict.fromkeys(definition.name for definition in begun if definition.name))
