"""PDF behind MarkItDown's front door, page by page, with structure."""

from typing import Any, BinaryIO

from markitdown import DocumentConverter, DocumentConverterResult, StreamInfo

from components.converters.pdf.assemble import PdfText
from components.converters.pdf.document_reader import read_pdf


class PagedResult(DocumentConverterResult):
    """A PDF as it was read: MarkItDown's own trimming of the text does not reach its pages.

    :param pdf: what was read.
    """

    def __init__(self, pdf: PdfText) -> None:
        super().__init__(markdown="", title=pdf.title)
        self.pdf = pdf


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
        return PagedResult(read_pdf(file_stream.read(), name, pictures=kwargs.get("pictures", True)))
