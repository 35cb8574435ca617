"""HTML pages without the parts that are there for moving around the site, behind MarkItDown's front door."""

from typing import Any, BinaryIO

from markitdown import DocumentConverter, StreamInfo

from khub.components.converters.html.main_content import parse_content
from khub.components.converters.html.page_markdown import page_markdown
from khub.components.converters.office.pictures import PictureCollector
from khub.components.converters.structured_result import StructuredResult


class HtmlPageConverter(DocumentConverter):
    """Reads the content of a page (all of it when nothing else is left)."""

    def accepts(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> bool:  # noqa: ARG002
        """Accept by extension alone."""
        return stream_info.extension in {".html", ".htm", ".xhtml"}

    def convert(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> StructuredResult:  # noqa: ARG002
        """Convert one page.

        :param file_stream: the HTML, in UTF-8.
        :param stream_info: not used.
        :returns: the Markdown, the page's title and metadata, and the pictures that are part of the file.
        """
        content = parse_content(file_stream.read().decode())
        pictures = PictureCollector()
        return StructuredResult(
            page_markdown(content.soup, pictures),
            title=content.title,
            metadata=content.metadata,
            pictures=pictures.pictures,
            removed=content.removed,
        )
