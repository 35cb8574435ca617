"""Books chapter by chapter, with their pictures."""

import posixpath
import re
from typing import Any, BinaryIO
from urllib.parse import unquote

from markitdown import DocumentConverterResult, StreamInfo
from markitdown.converters import EpubConverter, HtmlConverter

from components.converters.html.page_markdown import page_markdown
from components.converters.html.parse import parse_html
from components.converters.office.package import Package
from components.converters.office.pictures import PictureCollector
from components.converters.structured_result import StructuredResult
from components.converters.text_decoder import NotTextError, decode_text
from components.errors import SourceError

_FIELD = re.compile(r"^\*\*(\w+):\*\* (.+)$", re.MULTILINE)
_FIELDS = {
    "Authors": "author", "Date": "created", "Publisher": "publisher", "Language": "language",
    "Description": "description",
}  # fmt: skip


class BookConverter(EpubConverter):
    """Reads an EPUB as MarkItDown does, but keeps its pictures and takes its metadata out of the text."""

    def convert(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> StructuredResult:  # noqa: ARG002
        """Read the book.

        :param file_stream: the file.
        :param stream_info: its `filename` is used in messages.
        :param kwargs: not used.
        :returns: the chapters in reading order; title, author and other metadata; the pictures.
        :raises SourceError: when it is damaged or protected.
        """
        chapters = _Chapters(Package(file_stream.read(), stream_info.filename or "the file"))
        file_stream.seek(0)
        self._html_converter = chapters
        result = super().convert(file_stream, stream_info)
        head, _, text = result.markdown.partition("\n\n")
        said = {_FIELDS[name]: value for name, value in _FIELD.findall(head) if name in _FIELDS}
        said["description"] = parse_html(said.get("description", "")).get_text(" ", strip=True)
        return StructuredResult(text, title=result.title, metadata=said, pictures=chapters.pictures.pictures)


class _Chapters(HtmlConverter):
    """Converts the chapters that MarkItDown's converter hands over."""

    def __init__(self, package: Package) -> None:
        super().__init__()
        self.pictures = PictureCollector()
        self._package = package
        encryption = package.xml("META-INF/encryption.xml")
        references = [] if encryption is None else encryption.iter("{*}CipherReference")
        self._locked = {unquote(one.get("URI") or "") for one in references}

    def convert(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> DocumentConverterResult:  # noqa: ARG002
        part = file_stream.name
        if part in self._locked:
            raise SourceError(f"{self._package.name!r} is protected (DRM)", "use a copy without protection")
        try:
            soup = parse_html(decode_text(file_stream.read()))
        except NotTextError:
            return DocumentConverterResult("")
        for element in soup.select("script, style, nav, template, head, title, [hidden]"):
            element.decompose()
        # A drawing that only wraps a picture, as on most covers.
        for image in soup.find_all("image"):
            image.name, image["src"] = "img", image.get("xlink:href") or image.get("href") or ""
        folder = posixpath.dirname(part)
        return DocumentConverterResult(page_markdown(soup, self.pictures, lambda name: self._load(folder, name)))

    def _load(self, folder: str, address: str) -> bytes | None:
        return self._package.read(posixpath.normpath(posixpath.join(folder, unquote(address.partition("#")[0]))))
