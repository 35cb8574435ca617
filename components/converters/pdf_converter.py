"""PDF behind MarkItDown's front door, page by page, with structure."""

from typing import Any, BinaryIO

from markitdown import DocumentConverter, DocumentConverterResult, StreamInfo

from components.converters.blocks import Block
from components.converters.pdf.assemble import PdfText
from components.converters.pdf.document_reader import read_pdf
from components.converters.picture import Picture


class PagedResult(DocumentConverterResult):
    """A result whose pages survive MarkItDown's own trimming of the text.

    :param pages: text of each page; empty where there is none.
    :param damaged_pages: numbers (from 1) of pages that could not be opened.
    :param title: the document's own title.
    :param blocks: headings, paragraphs, tables … in reading order; each stands in the text of its page.
    :param pictures: images and drawings; their marks stand in the text.
    :param page_sizes: width and height of each page in points.
    :param needs_ocr: numbers of pages that show something but have no readable text layer.
    :param removed: how many words were left out, by reason.
    """

    def __init__(
        self,
        pages: list[str],
        damaged_pages: list[int],
        title: str | None,
        blocks: list[Block] | None = None,
        pictures: list[Picture] | None = None,
        page_sizes: list[tuple[float, float]] | None = None,
        needs_ocr: list[int] | None = None,
        removed: dict[str, int] | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(markdown="", title=title)
        self.pages = pages
        self.damaged_pages = damaged_pages
        self.blocks = blocks or []
        self.pictures = pictures or []
        self.page_sizes = page_sizes or []
        self.needs_ocr = needs_ocr or []
        self.removed = removed or {}
        self.metadata = metadata or {}


class PdfPagesConverter(DocumentConverter):
    """Reads PDFs through PDFium: reading order, headings, lists, tables, figures; no OCR."""

    def accepts(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> bool:  # noqa: ARG002
        """Accept by extension alone."""
        return stream_info.extension == ".pdf"

    def convert(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> PagedResult:
        """Read every page.

        :param file_stream: the PDF.
        :param stream_info: its `filename` is used in messages.
        :param kwargs: `pictures`, whether images and drawings are taken out (True if it is not given).
        :returns: the pages; their text is not in `markdown`.
        :raises SourceError: when it is encrypted or damaged.
        """
        name = stream_info.filename or "the file"
        return paged_result(read_pdf(file_stream.read(), name, pictures=kwargs.get("pictures", True)))


def paged_result(text: PdfText) -> PagedResult:
    """Return what was read of a PDF as the result of a converter."""
    return PagedResult(
        text.pages, text.damaged, text.title, text.blocks, text.pictures, text.sizes, text.needs_ocr, text.removed
    )
