"""Scanned pages and figures of converted documents: the words in them become text."""

import logging
import re
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from haystack import Document, component

from khub.components.catalog.picture import DocumentPicture, Picture
from khub.components.errors import KhubError, MissingLibraryError, SourceError
from khub.components.failed_file import FailedFile, failed_file
from khub.components.ocr.figure_text import figure_text
from khub.components.ocr.figures import with_figure_texts
from khub.components.ocr.picture_reader import PictureReader, UnreadPictureError
from khub.components.ocr.running_text import is_running_text
from khub.components.ocr.scanned_pages import with_scanned_pages
from khub.components.ocr.text_engine import REMEDY, engine_fingerprint, is_installed
from khub.components.ocr.text_line import ReadPicture
from khub.components.ocr.upright import Engine

logger = logging.getLogger(__name__)

_MARK = re.compile(r"\[IMAGE: [^\[\]\n]++\]")
_VERSION = 1
WHOLE = ("page", "file")
"""Kinds of pictures that show a whole page."""
UNREAD = ("needs_ocr", "garbled_pages")
"""Metadata with numbers of pages that wait for OCR."""


@component
class OcrReader:
    """Reads the pictures of documents with RapidOCR (Chinese and English), which is loaded at the first need.

    A scanned page gets its text in reading order, with paragraphs, tables and headings; the words of a figure stand
    behind its mark. A file that is a picture is taken for a page where it has lines of running text, else for a
    figure. What was read in a picture is kept in `{home}/cache/ocr.sqlite3`, and is never read again.
    Without RapidOCR (extra `ocr`) documents pass as they are, with `needs_ocr` in their
    metadata; one that has no other text fails, unless it is a picture itself. Nothing is fetched from the network.

    :param figures: whether figures are read too, or scanned pages alone.
    :param min_confidence: lines that were read with a lower confidence (0 to 1) are left out.
    :param max_side: lines are looked for in a picture reduced to so many pixels on its longer side.
    :param threads: processor threads of the recognition; 0 for as many as there are cores.
    :param budget_s: seconds that one document may take, first its pages, then its figures. What is not reached stays
        in `needs_ocr`, and is read when the document is ingested again.
    :param figures_s: seconds that its figures may take of these; one takes about a second.
    """

    def __init__(
        self,
        figures: bool = True,
        min_confidence: float = 0.6,
        max_side: int = 1600,
        threads: int = 0,
        budget_s: float = 1800.0,
        figures_s: float = 60.0,
    ) -> None:
        self.figures = figures
        self.min_confidence = min_confidence
        self.max_side = max_side
        self.threads = threads
        self.budget_s = budget_s
        self.figures_s = figures_s
        self._engine: Engine | None = None
        self._reader: PictureReader | None = None
        self._lock = threading.Lock()

    @property
    def fingerprint(self) -> str:
        """Names what reads the pictures: another one when RapidOCR is installed, removed or replaced."""
        return f"{engine_fingerprint()} {_VERSION}"

    @component.output_types(documents=list[Document], pictures=list[DocumentPicture], failed=list[dict[str, str]])
    def run(self, documents: list[Document], pictures: list[DocumentPicture] | None = None) -> dict[str, Any]:
        """Read the pictures of each document.

        :param documents: converted documents.
        :param pictures: of all of them.
        :returns: `documents`: with the words of their pictures; `needs_ocr` of the metadata holds the pages that were
            not read, and `ocr_errors` says why, where there are any; `pictures`: of these documents, those that were
            read with their words in `text`; `failed`: a `FailedFile` per document
            that has no text at all.
        """
        own: dict[str, list[DocumentPicture]] = {}
        for picture in pictures or []:
            own.setdefault(picture.doc_id, []).append(picture)
        read_documents: list[Document] = []
        shown: list[DocumentPicture] = []
        failed: list[FailedFile] = []
        for document in documents:
            try:
                read, named = self._read(document, own.get(document.meta["doc_id"], []))
            except SourceError as error:
                source = document.meta["source"]
                failed.append(failed_file(source, "ocr", error))
                continue
            read_documents.append(read)
            shown += named
        return {"documents": read_documents, "pictures": shown, "failed": failed}

    def _read(self, document: Document, pictures: list[DocumentPicture]) -> tuple[Document, list[DocumentPicture]]:
        wanted = [picture for picture in pictures if self.figures or picture.picture.kind in WHOLE]
        if not wanted:
            return _with_text(
                document,
                pictures,
                KhubError("its pictures were not read", "read its figures too", code="picture_unreadable"),
            )
        try:
            read, errors = self._read_pictures(wanted)
        except MissingLibraryError as error:
            return _with_text(document, pictures, error)
        as_pages = [p for p in wanted if p.image_id in read and self._is_page(p.picture, read[p.image_id])]
        pages = _by_page(as_pages, read)
        document = with_scanned_pages(document, pages, self.min_confidence)
        laid_out = {picture.image_id for picture in as_pages}
        figures = {key: lines for key, lines in read.items() if key not in laid_out}
        document, pictures = with_figure_texts(document, pictures, figures, self.min_confidence)
        pictures = [self._with_words(p, read[p.image_id]) if p.image_id in laid_out else p for p in pictures]
        done = set(pages) | {picture.picture.page for picture in pictures if picture.image_id in figures}
        document = _noted(document, sorted(pages), {page for page in done if page is not None}, errors)
        unread = errors[0] if errors else "no words were found in its pictures"
        return _with_text(
            document, pictures, KhubError(unread, "check the scan, or leave the file out", code="picture_unreadable")
        )

    def _is_page(self, picture: Picture, read: ReadPicture) -> bool:
        return picture.kind == "page" or (picture.kind == "file" and is_running_text(read, self.min_confidence))

    def _with_words(self, picture: DocumentPicture, read: ReadPicture) -> DocumentPicture:
        return replace(picture, text=figure_text(read.confident(self.min_confidence)))

    def _read_pictures(self, pictures: Sequence[DocumentPicture]) -> tuple[dict[str, ReadPicture], list[str]]:
        if self._engine is None and not is_installed():
            raise MissingLibraryError("OCR is not installed", REMEDY)
        with self._lock:
            if self._reader is None:
                self._reader = PictureReader(self.max_side, self.threads, self._engine)
        end = time.monotonic() + self.budget_s
        read: dict[str, ReadPicture] = {}
        unread: dict[str, list[Picture]] = {}
        for whole in (True, False):
            deadline = end if whole else min(end, time.monotonic() + self.figures_s)
            for picture in (each for each in pictures if (each.picture.kind in WHOLE) == whole):
                try:
                    read[picture.image_id] = self._reader.read(picture.picture.data, deadline)
                except UnreadPictureError as error:
                    unread.setdefault(f"not read ({error.message}): {error.remedy}", []).append(picture.picture)
        errors = [line for reason, left in unread.items() for line in _told(reason, left)]
        for told in errors:
            logger.warning("%s: %s", pictures[0].source, told)
        return read, errors


def _told(reason: str, unread: list[Picture]) -> list[str]:
    """Return a line for each page that was not read, and one for all figures."""
    figures = [picture for picture in unread if picture.kind not in WHOLE]
    lines = [f"{_place(picture)} was {reason}" for picture in unread if picture.kind in WHOLE]
    if len(figures) > 1:
        return [*lines, f"{len(figures)} pictures were {reason}"]
    return [*lines, *(f"{_place(picture)} was {reason}" for picture in figures)]


def _by_page(pages: Sequence[DocumentPicture], read: dict[str, ReadPicture]) -> dict[int, tuple[Picture, ReadPicture]]:
    return {
        page.picture.page: (page.picture, read[page.image_id])
        for page in pages
        if page.picture.page is not None and page.image_id in read
    }


def _noted(document: Document, pages: list[int], done: set[int], errors: list[str]) -> Document:
    """Return the document with the pages that were read, and what is still to be read, in its metadata."""
    meta = {key: value for key, value in document.meta.items() if key not in {*UNREAD, "ocr_pages", "ocr_errors"}}
    for key in UNREAD:
        if waiting := [page for page in document.meta.get(key, []) if page not in done]:
            meta[key] = waiting
    if pages:
        meta["ocr_pages"] = pages
    if errors:
        meta["ocr_errors"] = errors
    return Document(content=document.content, meta=meta)


def _with_text(
    document: Document, pictures: list[DocumentPicture], reason: KhubError
) -> tuple[Document, list[DocumentPicture]]:
    """Return both, unless there is nothing but pictures in the document, and it is none itself.

    :raises SourceError: with the reason for which they have no words.
    """
    waits = bool(pictures) or bool(document.meta.get("needs_ocr"))
    if any(picture.picture.kind == "file" for picture in pictures):
        return document, pictures  # it can be found by its name, and shown
    if waits and not _MARK.sub("", document.content or "").strip():
        name = Path(document.meta["source"]).name
        garbled = document.meta.get("garbled_pages")
        lacks = "text that can be read: its fonts do not say what they mean" if garbled else "text, only pictures"
        raise SourceError(f"{name!r} has no {lacks} ({reason.message})", reason.remedy, code="library_missing")
    return document, pictures


def _place(picture: Picture) -> str:
    if picture.kind in WHOLE:
        return f"page {picture.page}"
    return f"picture {picture.seq} of page {picture.page}" if picture.page else f"picture {picture.seq}"
