"""PDF behind MarkItDown's front door, page by page, with structure; also a plug-in of any other MarkItDown.

`markitdown --use-plugins file.pdf` finds it by the entry point `markitdown.plugin` of this package.
"""

from typing import Any, BinaryIO

from markitdown import DocumentConverter, DocumentConverterResult, MarkItDown, StreamInfo

from khub.components.converters.pdf import PdfText, read_pdf

__plugin_interface_version__ = 1


class PagedResult(DocumentConverterResult):
    """A PDF as it was read: MarkItDown's own trimming of the text does not reach its pages.

    :param pdf: what was read.
    """

    def __init__(self, pdf: PdfText) -> None:
        super().__init__(markdown="\n\n".join(page for page in pdf.pages if page), title=pdf.title)
        self.pdf = pdf


class PdfPagesConverter(DocumentConverter):
    """Reads PDFs through PDFium: reading order, headings, lists, tables, figures; no OCR.

    :param pictures: whether images and drawings are taken out, where a call does not say.
    """

    extensions = (".pdf",)

    def __init__(self, pictures: bool = True) -> None:
        super().__init__()
        self._pictures = pictures

    def accepts(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> bool:  # noqa: ARG002
        """Accept by extension, or by type where there is none."""
        return stream_info.extension in self.extensions or (stream_info.mimetype or "").startswith("application/pdf")

    def convert(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> PagedResult:
        """Read every page.

        :param file_stream: the PDF.
        :param stream_info: its `filename` is used in messages.
        :param kwargs: `pictures`, whether images and drawings are taken out.
        :returns: the pages.
        :raises SourceError: when it is encrypted or damaged.
        """
        name = stream_info.filename or "the file"
        return PagedResult(read_pdf(file_stream.read(), name, pictures=kwargs.get("pictures", self._pictures)))


def register_converters(markitdown: MarkItDown, **kwargs: Any) -> None:  # noqa: ARG001 - what MarkItDown calls
    """Put the reader before MarkItDown's own; without pictures, which have no place in its result."""
    markitdown.register_converter(PdfPagesConverter(pictures=False))
