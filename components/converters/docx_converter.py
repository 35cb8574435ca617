"""Word files with headings, numbers, lists, tables, notes and pictures, behind MarkItDown's front door."""

from typing import Any, BinaryIO

from markitdown import DocumentConverter, StreamInfo

from khub.components.converters.document_title import office_title, with_topic
from khub.components.converters.docx.blocks import join_blocks
from khub.components.converters.docx.cover import Cover
from khub.components.converters.docx.document import DocumentReader
from khub.components.converters.office.package import Package
from khub.components.converters.office.properties import read_properties
from khub.components.converters.structured_result import StructuredResult


class WordConverter(DocumentConverter):
    """Reads a Word file from its XML.

    An own one, because MarkItDown's (mammoth) loses automatic numbers, text boxes, charts, merged cells, the strict
    form of the format, headings by outline level or in another language, and fails on a picture that is only linked.
    Comments stand behind the paragraph or table that they are about. Deleted text, headers, footers and the table of
    contents are left out.
    """

    def accepts(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> bool:  # noqa: ARG002
        """Accept by extension alone."""
        return stream_info.extension == ".docx"

    def convert(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> StructuredResult:  # noqa: ARG002
        """Read the document.

        :param file_stream: the file.
        :param stream_info: its `filename` is used in messages.
        :returns: the Markdown, the title (what the first page shows, else of the properties), the metadata and
            the pictures.
        :raises SourceError: when the file lacks its document.
        """
        package = Package(file_stream.read(), stream_info.filename or "the file")
        reader = DocumentReader(package)
        blocks, pictures = reader.read()
        named, metadata = read_properties(package)
        cover = Cover(package)
        title = office_title(named, cover.title(), " ".join(cover.beginning()))
        return StructuredResult(
            join_blocks(blocks),
            title=with_topic(title, cover.beginning()),
            metadata=metadata,
            pictures=pictures,
            heading_is_title=False,
            removed={"table of contents": reader.contents_words},
        )
