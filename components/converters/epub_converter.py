"""Books chapter by chapter, with their pictures."""

from collections import Counter
from typing import Any, BinaryIO

from bs4 import BeautifulSoup
from markitdown import DocumentConverter, StreamInfo

from khub.components.converters.epub.book import Book, read_book, resolve
from khub.components.converters.epub.contents import lists_chapters
from khub.components.converters.html.page_markdown import page_markdown
from khub.components.converters.html.parse import parse_html
from khub.components.converters.office.package import Package
from khub.components.converters.office.pictures import PictureCollector
from khub.components.converters.structured_result import StructuredResult
from khub.components.converters.text_decoder import NotTextError, decode_text
from khub.components.errors import SourceEncryptedError

_LIST = "list of chapters"
_MISSING = "missing chapters"


class BookConverter(DocumentConverter):
    """Reads the chapters of an EPUB, without the pages that only list them."""

    def accepts(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> bool:  # noqa: ARG002
        """Accept by extension alone."""
        return stream_info.extension == ".epub"

    def convert(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> StructuredResult:  # noqa: ARG002
        """Read the book.

        :param file_stream: the file.
        :param stream_info: its `filename` is used in messages.
        :param kwargs: not used.
        :returns: the chapters in reading order; title, author and other metadata; the pictures.
        :raises SourceError: when it is damaged or protected.
        """
        package = Package(file_stream.read(), stream_info.filename or "the file")
        book = read_book(package)
        chapters = _Chapters(package, book)
        text = "\n\n".join(chapter for part in book.chapters if (chapter := chapters.markdown(part)))
        return StructuredResult(
            text,
            title=book.title,
            metadata=book.metadata,
            pictures=chapters.pictures.pictures,
            removed=dict(chapters.removed),
        )


class _Chapters:
    """Writes chapters, and counts the words of what is left out."""

    def __init__(self, package: Package, book: Book) -> None:
        self.pictures = PictureCollector()
        self.removed: Counter[str] = Counter()
        self._package, self._book = package, book
        self._parts = frozenset(book.chapters)

    def markdown(self, part: str) -> str:
        if part in self._book.locked:
            raise SourceEncryptedError(f"{self._package.name!r} is protected (DRM)", "use a copy without protection")
        data = self._package.read(part)
        if data is None:
            self.removed[_MISSING] += 1
            return ""
        try:
            soup = parse_html(decode_text(data))
        except NotTextError:
            return ""
        for element in soup.select("script, style, template, head, title, [hidden]"):
            element.decompose()
        for menu in soup.find_all("nav"):
            self._leave_out(menu)
        # A drawing that only wraps a picture, as on most covers.
        for image in soup.find_all("image"):
            image.name, image["src"] = "img", image.get("xlink:href") or image.get("href") or ""
        if self._lists_chapters(soup, part):
            self._leave_out(soup)
            return ""
        return page_markdown(soup, self.pictures, lambda address: self._package.read(resolve(part, address)))

    def _lists_chapters(self, soup: BeautifulSoup, part: str) -> bool:
        def leads(address: str) -> bool:
            return (target := resolve(part, address)) in self._parts and target != part

        return lists_chapters(soup, leads, part in self._book.navigation)

    def _leave_out(self, element: Any) -> None:
        self.removed[_LIST] += len(element.get_text(" ").split())
        element.decompose()
