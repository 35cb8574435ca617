"""The outline (bookmarks) of a PDF."""

import re
from typing import Any, NamedTuple

import pypdfium2

_NOT_WORDS = re.compile(r"[\W_]+")
_MOST = 5000


class OutlineEntry(NamedTuple):
    """One bookmark.

    :param title: as written in the outline.
    :param depth: from 1.
    :param page: number, from 1.
    """

    title: str
    depth: int
    page: int


def read_outline(document: pypdfium2.PdfDocument) -> list[OutlineEntry]:
    """Return the entries that lead to a page of the document."""
    entries: list[OutlineEntry] = []
    try:
        for bookmark in document.get_toc():
            if len(entries) >= _MOST:
                break
            page = _page_of(bookmark)
            title = " ".join(bookmark.get_title().split())
            if title and page is not None:
                entries.append(OutlineEntry(title, bookmark.level + 1, page + 1))
    except (pypdfium2.PdfiumError, UnicodeDecodeError, RecursionError):
        return entries
    return entries


def outline_key(text: str) -> str:
    """Return letters and digits alone, for comparing a title with a line."""
    return _NOT_WORDS.sub("", text).casefold()


def _page_of(bookmark: Any) -> int | None:
    target = bookmark.get_dest()
    return target.get_index() if target is not None else None
