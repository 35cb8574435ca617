"""Saved pages (MHTML), behind MarkItDown's front door."""

from collections import Counter
from typing import Any, BinaryIO

from bs4 import BeautifulSoup
from markitdown import DocumentConverter, StreamInfo

from khub.components.converters.html.main_content import parse_content
from khub.components.converters.html.page_markdown import page_markdown
from khub.components.converters.html.web_archive import WebArchive, location, page_text, read_web_archive
from khub.components.converters.office.pictures import PictureCollector
from khub.components.converters.structured_result import StructuredResult


class WebArchiveConverter(DocumentConverter):
    """Reads a saved page as `HtmlPageConverter` does, with the pictures and frames that were saved with it."""

    def accepts(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> bool:  # noqa: ARG002
        """Accept by extension alone."""
        return stream_info.extension in {".mht", ".mhtml"}

    def convert(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> StructuredResult:  # noqa: ARG002
        """Convert one page.

        :param file_stream: the file.
        :param stream_info: its `filename` is used in messages.
        :param kwargs: not used.
        :returns: the Markdown, the page's title and metadata, its address among them, and the pictures.
        :raises SourceError: when there is no page in it.
        """
        archive = read_web_archive(file_stream.read(), stream_info.filename or "the file")
        content = parse_content(archive.page)
        pictures, removed = PictureCollector(), Counter(content.removed)
        frames = _frames(content.soup, archive)
        text = page_markdown(content.soup, pictures, archive.loader(archive.address))
        for frame, address in frames:
            framed = parse_content(frame)
            text += "\n\n" + page_markdown(framed.soup, pictures, archive.loader(address))
            removed.update(framed.removed)
        metadata = content.metadata
        if archive.address.startswith(("https://", "http://")):
            metadata.setdefault("address", archive.address)
        return StructuredResult(
            text,
            title=content.title or archive.title,
            metadata=metadata,
            pictures=pictures.pictures,
            removed=dict(removed),
        )


def _frames(soup: BeautifulSoup, archive: WebArchive) -> list[tuple[str, str]]:
    """Return the pages of a frameset, as a workbook is saved, with their addresses."""
    parts = [archive.part(str(frame.get("src") or ""), archive.address) for frame in soup.find_all("frame")]
    return [(page_text(part), location(part)) for part in parts if part is not None]
