"""One file to Markdown; runs inside the conversion worker, the only place that imports MarkItDown."""

import io
import re
import zipfile
from pathlib import PurePath
from typing import Any

from markitdown import (
    DocumentConverterResult,
    FileConversionException,
    MarkItDown,
    StreamInfo,
    UnsupportedFormatException,
)
from markitdown.converters import DocxConverter, EpubConverter, IpynbConverter, PptxConverter

from components.converters.document_title import first_heading, sensible_title
from components.converters.html_converter import HtmlPageConverter
from components.converters.pages import clean_text, join_pages
from components.converters.pdf_converter import PagedResult, PdfPagesConverter
from components.converters.table_converters import DelimitedConverter, SheetsConverter
from components.converters.text_decoder import NotTextError, decode_text
from components.converters.zip_check import check_zip
from components.errors import SourceError

_ZIPPED = {".docx", ".pptx", ".xlsx", ".xlsm", ".epub"}
_DECODED = {".html", ".htm", ".xhtml", ".csv", ".tsv", ".ipynb"}
_WORD_STYLES = "p[style-name='Title'] => h1:fresh\np[style-name='title'] => h1:fresh"
_SLIDE_MARK = re.compile(r"^<!-- Slide number: (\d+) -->$", re.MULTILINE)
_PICTURE = re.compile(r"!\[([^\]\n]*)\]\([^)\n]*\)")
_PICTURE_NAME = re.compile(
    r"(picture|image|grafik|图片|圖片|content placeholder|\S+\.(png|jpe?g|gif|emf))[\s\d]*", re.IGNORECASE
)
_ANCHOR = re.compile(r"(?<!!)\[((?:[^\[\]\\\n]|\\.)+)\]\(#[^)\s]*\)")
_INLINE_PICTURE = re.compile(r"!\[([^\]\n]*)\]\((?:data:[^)\n]*)?\)|!\[\]\([^)\n]*\)")
_REPLACE = "open and save it with the program that made it, or replace it"


def build_markitdown() -> MarkItDown:
    """Build a MarkItDown that knows only formats which it reads from the bytes alone.

    Its built-in set is left out: it would send sound to a web service, run exiftool, unpack any zip, and try a file
    of one format as another.
    """
    markitdown = MarkItDown(enable_builtins=False, enable_plugins=False)
    for converter in (
        HtmlPageConverter(),
        DocxConverter(),
        PptxConverter(),
        EpubConverter(),
        IpynbConverter(),
        SheetsConverter(),
        DelimitedConverter(),
        PdfPagesConverter(),
    ):
        markitdown.register_converter(converter)
    return markitdown


def convert_bytes(markitdown: MarkItDown, data: bytes, name: str, max_mb: float) -> dict[str, Any]:
    """Convert one file.

    :param markitdown: from `build_markitdown`.
    :param data: the file's bytes.
    :param name: its name; the extension settles the format.
    :param max_mb: limit in megabytes, see `check_zip`.
    :returns: `{"text": str, "title": str | None}`; for pages also `page_starts` and `page_count`, and `empty_pages`
        and `damaged_pages` (numbers from 1) where there are any.
    :raises SourceError: when it cannot be converted, or there is no text in it.
    :raises MemoryError: when it needs more memory than the worker may take.
    """
    extension = PurePath(name).suffix.lower()
    if extension in _ZIPPED:
        check_zip(data, name, max_mb)
    charset = None
    if extension in _DECODED:
        data, charset = _as_utf8(data, name), "utf-8"
    info = StreamInfo(extension=".html" if extension == ".xhtml" else extension, charset=charset, filename=name)
    try:
        result = markitdown.convert_stream(io.BytesIO(data), stream_info=info, style_map=_WORD_STYLES)
    except (FileConversionException, UnsupportedFormatException) as error:
        raise _cause(error, name) from error
    converted = _assemble(result, extension)
    if not converted["text"]:
        raise SourceError(f"{name!r} has no text", "leave it out, or check that its text is not only in pictures")
    return converted


def _assemble(result: DocumentConverterResult, extension: str) -> dict[str, Any]:
    if isinstance(result, PagedResult):
        return {**_paged(result.pages, result.damaged_pages), "title": result.title}
    text = clean_text(_without_dead_links(result.markdown))
    converted = _paged(_slides(text), []) if extension == ".pptx" else {"text": text}
    heading = None if extension in {".xlsx", ".xlsm", ".csv", ".tsv"} else first_heading(converted["text"])
    return {**converted, "title": sensible_title(result.title) or heading}


def _without_dead_links(text: str) -> str:
    # Neither a jump inside the document nor a picture cut out of it means anything in a passage.
    return _INLINE_PICTURE.sub(lambda picture: picture[1] or "", _ANCHOR.sub(r"\1", text))


def _paged(pages: list[str], damaged: list[int]) -> dict[str, Any]:
    text, starts = join_pages(pages)
    empty = [number for number, page in enumerate(pages, 1) if not page and number not in damaged]
    paged: dict[str, Any] = {"text": text, "page_starts": starts, "page_count": len(pages)}
    if empty:
        paged["empty_pages"] = empty
    if damaged:
        paged["damaged_pages"] = damaged
    return paged


def _slides(text: str) -> list[str]:
    slides: list[str] = []
    end = 0
    for mark in _SLIDE_MARK.finditer(text):
        # A mark that is out of turn is text on a slide.
        if int(mark[1]) == len(slides) + 1:
            if slides:
                slides[-1] = text[end : mark.start()]
            slides.append(text[mark.end() :])
            end = mark.end()
    return [clean_text(_PICTURE.sub(_picture_text, slide)) for slide in slides]


def _picture_text(picture: re.Match[str]) -> str:
    # The link target is invented by MarkItDown; only a description written by a person is worth keeping.
    return "" if _PICTURE_NAME.fullmatch(picture[1].strip()) else picture[1]


def _as_utf8(data: bytes, name: str) -> bytes:
    try:
        return decode_text(data).encode("utf-8")
    except NotTextError as error:
        raise SourceError(f"{name!r} is not a text file ({error})", "check what the file really is") from error


def _cause(error: Exception, name: str) -> Exception:
    attempts = getattr(error, "attempts", None) or []
    causes = [attempt.exc_info[1] for attempt in attempts if attempt.exc_info]
    for cause in causes:
        if isinstance(cause, SourceError | MemoryError):
            return cause
    cause = causes[0] if causes else error
    if isinstance(cause, RecursionError):
        return SourceError(f"{name!r} is nested too deeply", _REPLACE)
    if isinstance(cause, KeyError | zipfile.BadZipFile):
        return SourceError(f"{name!r} is damaged or lacks a part ({_first_line(cause)})", _REPLACE)
    return SourceError(f"{name!r} cannot be converted ({type(cause).__name__}: {_first_line(cause)})", _REPLACE)


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), "no details")[:200]
