"""Documents as the rules for drafts read them: sentences, lines, headings and table rows, each with its page."""

import hashlib
import os
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from haystack import Document

from khub.components.converters.markitdown_converter import MarkItDownConverter
from khub.components.errors import GoldenSetError
from khub.components.failed_file import FailedFile
from khub.components.splitters.markdown_blocks import Block, parse_blocks
from khub.components.text.language import detect_language
from khub.server.library.source_walk import collect_sources

NUMBERED_LINE = r"\d{1,2}(?:\.\d{1,2})* +[A-Z\u4e00-\u9fff]"  # most likely a heading of a PDF
SENTENCE_END = re.compile(
    r"[。！？]+[”’」』）]*|(?<![.!?])[.!?]++[\"'”’)]*+(?=\s++[^\sa-z]|\s*+\Z)|\n(?=[^\S\n]*+(?:[-*•]|\d++[.)])\s)"
    rf"|\n(?={NUMBERED_LINE})|(?:(?<=\n)|^){NUMBERED_LINE}[^\n。；]{{1,40}}\n",
    re.MULTILINE,
)
NUMBERED = re.compile(
    r"(?:\d+(?:\.\d+)*\.?|[一二三四五六七八九十]+、|第[一二三四五六七八九十]+[章节]|题 ?\d+：)\s*(?=\S)"
)
MARKS = re.compile(r"\*\*|__|`|^\s*(?:[-*•>]|\d+[.)])\s+|\[(?=[^\[\]]*+\]\()|\]\((?:(?!\]\()[^)])*+\)")
HEADING_LINE = re.compile(r"\d{1,2}(?:\.\d{1,2})+\.? +(?P<title>[A-Z\u4e00-\u9fff][^、；;]*[^。；，.;,：:\d、])")
LONGEST_HEADING = 60


@dataclass(frozen=True)
class Piece:
    """A part of a document.

    :param text: without marks of Markdown and without line breaks.
    :param page: from 1; None for formats without pages.
    """

    text: str
    page: int | None


@dataclass(frozen=True)
class Row:
    """One row of a table: its cells by the names of the columns, in order."""

    cells: tuple[tuple[str, str], ...]
    piece: Piece


@dataclass(frozen=True)
class Heading:
    """A heading, without its number, and the first sentence below it."""

    title: str
    first: Piece


@dataclass(frozen=True)
class SourceText:
    """One document.

    :param source: from the documents' folder, with `/` between folders.
    :param title: its own title, else the name of its file.
    :param language: `zh` or `en`: that of most of it.
    """

    source: str
    title: str
    language: str
    document: Document
    sentences: tuple[Piece, ...]
    lines: tuple[Piece, ...]
    rows: tuple[Row, ...]
    headings: tuple[Heading, ...]


@dataclass(frozen=True)
class Texts:
    """What could be read, and `{source, stage, error, remedy}` of what could not."""

    read: list[SourceText]
    failed: list[FailedFile]


def read_texts(
    paths: Sequence[str], folder: Path | None = None, on_file: Callable[[int, int], None] = lambda _done, _all: None
) -> Texts:
    """Convert documents.

    :param paths: files and folders.
    :param folder: what their names in drafts are relative to; None for the folder that holds all of them.
    :param on_file: called with how many files are done, of all.
    :raises KhubError: when there is no file, or one lies outside of the folder.
    """
    sources = collect_sources(paths)
    if not sources.files and not sources.failed:
        raise GoldenSetError(
            f"{', '.join(paths)}: there is no file that the hub reads", "name documents, or their folder"
        )
    root = (folder or _common(paths)).expanduser().absolute()
    names = {file: _relative(Path(file), root) for file in sources.files}
    texts, failed = [], list(sources.failed)
    converter = MarkItDownConverter()
    try:
        for done, (file, name) in enumerate(names.items()):
            on_file(done, len(names))
            found = _converted(converter, file)
            failed += found["failed"]
            texts += [source_text(name, document) for document in found["documents"]]
        on_file(len(names), len(names))
    finally:
        converter.close()
    return Texts(texts, failed)


def source_text(source: str, document: Document) -> SourceText:
    """Take a converted document apart.

    :param source: its name.
    :param document: as converters give it.
    """
    text = document.content or ""
    starts = document.meta.get("page_starts") or []

    def page_at(offset: int) -> int | None:
        return max(1, bisect_right(starts, offset)) if starts else None

    blocks = parse_blocks(text) if document.meta.get("doc_type") != "code" else []
    running = [block for block in blocks if block.kind == "text"]
    sentences = [piece for block in running for piece in _sentences(text, block, page_at)]
    lines = [piece for block in running for piece in _lines(text, block, page_at)]
    return SourceText(
        source,
        str(document.meta.get("title") or Path(source).stem),
        "zh" if detect_language(text) == "zh" else "en",
        document,
        tuple(sentences),
        tuple(lines),
        tuple(row for block in blocks if block.kind == "table" for row in _rows(text, block, page_at)),
        tuple(_headings(text, blocks, page_at)),
    )


PageAt = Callable[[int], int | None]


def _converted(converter: MarkItDownConverter, file: str) -> dict[str, list[Any]]:
    try:
        data = Path(file).read_bytes()
    except OSError as error:
        failure = {"source": file, "stage": "check", "error": f"{file!r} cannot be read", "remedy": str(error.strerror)}
        return {"documents": [], "failed": [failure]}
    digest = hashlib.sha256(data).hexdigest()
    found: dict[str, list[Any]] = converter.run(
        [{"path": file, "doc_id": digest[:32], "sha256": digest, "size": len(data)}]
    )
    return found


def _common(paths: Sequence[str]) -> Path:
    absolute = [Path(path).expanduser().absolute() for path in paths]
    try:
        return Path(os.path.commonpath([path if path.is_dir() else path.parent for path in absolute]))
    except ValueError as error:  # on several drives
        raise GoldenSetError("the documents have no folder in common", "name one by --documents") from error


def _relative(file: Path, root: Path) -> str:
    if not file.is_relative_to(root):
        raise GoldenSetError(f"'{file}' does not lie in {root}", "name the documents' folder by --documents")
    return file.relative_to(root).as_posix()


def _sentences(text: str, block: Block, page_at: PageAt) -> Iterator[Piece]:
    start = block.start
    ends = [match.end() for match in SENTENCE_END.finditer(text, block.start, block.end)]
    for end in [*ends, block.end]:
        if plain := plain_text(text[start:end]):
            yield Piece(plain, page_at(start + len(text[start:end]) - len(text[start:end].lstrip())))
        start = end


def _lines(text: str, block: Block, page_at: PageAt) -> Iterator[Piece]:
    start = block.start
    for line in text[block.start : block.end].split("\n"):
        if plain := plain_text(line):
            yield Piece(plain, page_at(start))
        start += len(line) + 1


def _rows(text: str, block: Block, page_at: PageAt) -> Iterator[Row]:
    lines = text[block.start : block.end].split("\n")
    names = _cells(lines[0])
    start = block.start + len(lines[0]) + len(lines[1]) + 2
    for line in lines[2:]:
        if line.strip():
            cells = tuple((name, cell) for name, cell in zip(names, _cells(line), strict=False) if name and cell)
            yield Row(cells, Piece(" ".join(line.strip().strip("|").split()), page_at(start)))
        start += len(line) + 1


def _cells(line: str) -> list[str]:
    return [plain_text(cell.replace("\\|", "|")) for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def _headings(text: str, blocks: Sequence[Block], page_at: PageAt) -> Iterator[Heading]:
    for block, below in pairwise(blocks):
        if block.kind == "heading" and block.level > 1 and below.kind == "text":
            first = next(_sentences(text, below, page_at), None)
            if first:
                number = NUMBERED.match(block.title)
                yield Heading(block.title[number.end() :] if number else block.title, first)
    for block in blocks:
        if block.kind == "text":
            yield from _numbered_lines(text, block, page_at)


def _numbered_lines(text: str, block: Block, page_at: PageAt) -> Iterator[Heading]:
    """Yield headings that a converter gives as plain lines, such as those of a PDF: `2.1 Storage`."""
    start = block.start
    for line in text[block.start : block.end].split("\n"):
        end = start + len(line) + 1
        number = HEADING_LINE.fullmatch(line.strip())
        title = number["title"] if number else ""
        if 2 <= len(title) <= LONGEST_HEADING and end < block.end:
            below = Block("text", end, block.end)
            if first := next(_sentences(text, below, page_at), None):
                yield Heading(title, first)
        start = end


def glued(sentence: str) -> bool:
    """Say whether an English sentence has a heading before it, as lines of a PDF run on: `Storage The robot is …`."""
    return bool(re.search(r"[\w)] (?:A|An|The|It|If|When|This|There|Every) [a-z]", sentence))


def plain_text(text: str) -> str:
    """Return a text without marks of Markdown, on one line; lines of Chinese are joined without a space."""
    joined = re.sub(
        r"(?<=[\u3000-\u9fff\uff00-\uffef])[ \t]*\n[ \t]*(?=[\u3000-\u9fff\uff00-\uffef])", "", text.strip()
    )
    return " ".join(MARKS.sub("", joined).split())
