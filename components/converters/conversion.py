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
from markitdown.converters import PdfConverter

from khub.components.catalog.scanned_pages import NEEDS_OCR
from khub.components.converters.archive_converter import ArchiveConverter
from khub.components.converters.block_places import place_blocks
from khub.components.converters.document_title import first_heading, sensible_title
from khub.components.converters.docx_converter import WordConverter
from khub.components.converters.encoding_notes import with_encoding_notes
from khub.components.converters.epub_converter import BookConverter
from khub.components.converters.file_types import CONVERTED_TYPES, PDF_ENGINES, SAVE_AS
from khub.components.converters.html_converter import HtmlPageConverter
from khub.components.converters.image_converter import ImageConverter
from khub.components.converters.json_converter import JsonConverter
from khub.components.converters.mail.attachment import Room
from khub.components.converters.mail_converter import MailConverter
from khub.components.converters.notebook_converter import NotebookConverter
from khub.components.converters.office.binary_files import BINARY, save_as_xml, without_made_titles
from khub.components.converters.pages import clean_text, join_pages
from khub.components.converters.pdf import PdfText
from khub.components.converters.pdf_converter import PagedResult, PdfPagesConverter
from khub.components.converters.picture_marks import name_pictures
from khub.components.converters.pptx_converter import SlidesConverter
from khub.components.converters.structured_result import StructuredResult
from khub.components.converters.table_converters import DelimitedConverter, SheetsConverter
from khub.components.converters.text_decoder import DecodedText, NotTextError, decoded
from khub.components.converters.web_archive_converter import WebArchiveConverter
from khub.components.converters.zip_check import check_zip
from khub.components.errors import SourceDamagedError, SourceEmptyError, SourceError
from khub.components.text.report_title import report_title
from khub.components.text.title_words import WEAK, title_weight
from khub.components.text.tokenizer import tokenize

_OFFICE = {"docx", "pptx", "xlsx", "epub"}
_ZIPPED = _OFFICE | {"archive"}
_DECODED = {".html", ".htm", ".xhtml", ".csv", ".tsv", ".ipynb", ".json", ".jsonl", ".ndjson"}
_PICTURE = re.compile(r"\[IMAGE: \d+@\d+\]")
_COVER = 8_000
"""Characters at the beginning of a text that may hold the cover of a report."""
_NOT_WORDS = re.compile(r"[\W_]+")
_REPLACE = "open and save it with the program that made it, or replace it"


def build_markitdown(pdf_engine: str = PDF_ENGINES[0]) -> MarkItDown:
    """Build a MarkItDown that knows only formats which it reads from the bytes alone.

    Its built-in set is left out: it would send sound to a web service, run exiftool, unpack any zip, and try a file
    of one format as another.

    :param pdf_engine: what reads PDF, one of `PDF_ENGINES`.
    """
    markitdown = MarkItDown(enable_builtins=False, enable_plugins=False)
    for converter in (
        HtmlPageConverter(),
        WebArchiveConverter(),
        WordConverter(),
        SlidesConverter(),
        BookConverter(),
        NotebookConverter(),
        JsonConverter(),
        MailConverter(),
        ArchiveConverter(),
        SheetsConverter(),
        DelimitedConverter(),
        ImageConverter(),
        PdfPagesConverter() if pdf_engine == PDF_ENGINES[0] else PdfConverter(),
    ):
        markitdown.register_converter(converter)
    return markitdown


def convert_bytes(
    markitdown: MarkItDown, data: bytes, name: str, max_mb: float, pictures: bool = True, room: Room | None = None
) -> dict[str, Any]:
    """Convert one file.

    :param markitdown: from `build_markitdown`.
    :param data: the file's bytes.
    :param name: its name; the extension settles the format.
    :param max_mb: limit in megabytes, see `check_zip`.
    :param pictures: whether pictures are taken out, scanned pages among them.
    :param room: where the files attached to a mail go; None: they stay in it.
    :returns: `{"text": str, "title": str | None}`; for pages also `page_starts` and `page_count`; where there are any
        `empty_pages`, `damaged_pages`, `needs_ocr` (pages without text that can be read) and `garbled_pages` (those
        among them that are no pictures: their fonts do not say what they mean), numbered from 1; for PDF
        `blocks` (see `place_blocks`) and `page_sizes`, width and height in points; `metadata`, `pictures` (as
        `Picture.to_dict` gives them; each stands in the text as its mark, but for scanned pages) and `removed` (what
        was left out on purpose, in words). The text is empty only where OCR may find some in `pictures`.
    :raises SourceError: when it cannot be converted, or there is no text in it.
    :raises MemoryError: when it needs more memory than the worker may take.
    """
    extension = PurePath(name).suffix.lower()
    _check_type(extension, name)
    doc_type = CONVERTED_TYPES[extension]
    binary = extension in BINARY
    if binary:
        data = save_as_xml(data, name, extension)
    if doc_type in _ZIPPED:
        check_zip(data, name, max_mb)
    charset, found = None, DecodedText("")
    if extension in _DECODED:
        found = _decoded(data, name)
        data, charset = found.text.encode("utf-8"), "utf-8"
    known = f".{doc_type}" if doc_type in _OFFICE else extension
    info = StreamInfo(extension=known, charset=charset, filename=name)
    result = _result(markitdown, data, info, pictures=pictures, room=room)
    if binary and isinstance(result, StructuredResult) and result.pages is not None:
        result.pages = without_made_titles(result.pages)
    return with_encoding_notes(_finished(_assemble(result), name, pictures), found)


def convert_by_plugin(markitdown: MarkItDown, data: bytes, name: str) -> dict[str, Any]:
    """Convert one file of a format that a plug-in reads; the rest is as for `convert_bytes`.

    :param markitdown: that knows the plug-in.
    """
    info = StreamInfo(extension=PurePath(name).suffix.lower(), filename=name)
    return _finished(_assemble(_result(markitdown, data, info)), name, pictures=False)


def finish_pdf(text: PdfText, name: str, pictures: bool) -> dict[str, Any]:
    """Return what `convert_bytes` does, for a PDF that has been read.

    :param text: what was read.
    :param name: its file name.
    :param pictures: as in `convert_bytes`.
    """
    return _finished(_read_pages(text), name, pictures)


def _result(markitdown: MarkItDown, data: bytes, info: StreamInfo, **more: Any) -> DocumentConverterResult:
    try:
        return markitdown.convert_stream(io.BytesIO(data), stream_info=info, **more)
    except (FileConversionException, UnsupportedFormatException) as error:
        raise _cause(error, info.filename or "the file") from error


def _finished(converted: dict[str, Any], name: str, pictures: bool) -> dict[str, Any]:
    if _says_less(converted["title"], name):
        converted["title"] = None
    if not pictures:
        converted = _without_pictures(converted)
    if not converted["text"] and not converted.get("pictures"):
        if converted.get("garbled_pages"):
            raise SourceError(
                f"{name!r} has no text that can be read: its fonts do not say what they mean",
                NEEDS_OCR,
                code="source_needs_ocr",
            )
        if converted.get("needs_ocr"):
            raise SourceError(
                f"{name!r} is scanned: there is no text in it, only pictures", NEEDS_OCR, code="source_needs_ocr"
            )
        raise SourceEmptyError(f"{name!r} has no text", "leave it out, or check that its text is not only in pictures")
    return converted


def _assemble(result: DocumentConverterResult) -> dict[str, Any]:
    if isinstance(result, PagedResult):
        return _read_pages(result.pdf)
    if isinstance(result, StructuredResult):
        return _structured(result)
    return {"text": clean_text(result.markdown), "title": sensible_title(result.title)}


def _read_pages(pdf: PdfText) -> dict[str, Any]:
    converted = {**_paged(pdf.pages, pdf.damaged), "title": pdf.title}
    found: dict[str, Any] = {
        "blocks": place_blocks(converted["text"], converted["page_starts"], pdf.blocks),
        "pictures": [picture.to_dict() for picture in pdf.pictures],
        "page_sizes": pdf.sizes,
        "needs_ocr": pdf.needs_ocr,
        "garbled_pages": pdf.garbled,
        "removed": pdf.removed,
    }
    return converted | {key: value for key, value in found.items() if value}


def _says_less(title: str | None, name: str) -> bool:
    """Whether a title is as short as "User Manual" and the file's name holds it and more: that says which one it is."""
    words = _NOT_WORDS.sub(" ", PurePath(name).stem)
    return title_weight(title) <= WEAK and set(tokenize(title or "")) < set(tokenize(words))


def _without_pictures(converted: dict[str, Any]) -> dict[str, Any]:
    return name_pictures({**converted, "pictures": []}, "", "")[0]


def _structured(result: StructuredResult) -> dict[str, Any]:
    if result.pages is None:
        converted: dict[str, Any] = {"text": clean_text(result.markdown)}
    else:
        pages = [clean_text(page) for page in result.pages]
        converted = _paged(pages, [])
        in_pictures = [n for n, page in enumerate(pages, 1) if page and not _PICTURE.sub("", page).strip()]
        if in_pictures:
            converted["needs_ocr"] = in_pictures
    heading = first_heading(converted["text"]) if result.heading_is_title else None
    cover = (line.strip("#*|_ ") for line in converted["text"][:_COVER].splitlines())
    converted["title"] = report_title(list(filter(None, cover))) or sensible_title(result.title) or heading
    if result.metadata:
        converted["metadata"] = result.metadata
    if result.pictures:
        converted["pictures"] = [picture.to_dict() for picture in result.pictures]
    if result.removed:
        converted["removed"] = result.removed
    return converted


def _paged(pages: list[str], damaged: list[int]) -> dict[str, Any]:
    text, starts = join_pages(pages)
    empty = [number for number, page in enumerate(pages, 1) if not page and number not in damaged]
    paged: dict[str, Any] = {"text": text, "page_starts": starts, "page_count": len(pages)}
    if empty:
        paged["empty_pages"] = empty
    if damaged:
        paged["damaged_pages"] = damaged
    return paged


def _check_type(extension: str, name: str) -> None:
    if extension not in CONVERTED_TYPES:
        other = SAVE_AS.get(extension)
        raise SourceError(
            f"{name!r} has the type {extension!r}, which is not converted",
            f"save it as {other}" if other else f"give one of: {', '.join(sorted(CONVERTED_TYPES))}",
            code="source_type_not_read",
        )


def _decoded(data: bytes, name: str) -> DecodedText:
    try:
        return decoded(data)
    except NotTextError as error:
        raise SourceDamagedError(f"{name!r} is not a text file ({error})", "check what the file really is") from error


def _cause(error: Exception, name: str) -> Exception:
    attempts = getattr(error, "attempts", None) or []
    causes = [attempt.exc_info[1] for attempt in attempts if attempt.exc_info]
    for cause in causes:
        if isinstance(cause, SourceError | MemoryError):
            return cause
    cause = causes[0] if causes else error
    if isinstance(cause, RecursionError):
        return SourceDamagedError(f"{name!r} is nested too deeply", _REPLACE)
    if isinstance(cause, KeyError | zipfile.BadZipFile):
        return SourceDamagedError(f"{name!r} is damaged or lacks a part ({_first_line(cause)})", _REPLACE)
    return SourceDamagedError(f"{name!r} cannot be converted ({type(cause).__name__}: {_first_line(cause)})", _REPLACE)


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), "no details")[:200]
