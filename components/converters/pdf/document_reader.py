"""A PDF read from its bytes, both phases in this process."""

import ctypes

import pypdfium2
import pypdfium2.raw as pdfium

from components.converters.pdf.assemble import PdfText, assemble
from components.converters.pdf.deadline import PageTooSlowError
from components.converters.pdf.layout import PageLayout
from components.converters.pdf.outline import read_outline
from components.converters.pdf.page_reader import read_page
from components.errors import SourceError


def read_pdf(data: bytes, name: str, pictures: bool = True) -> PdfText:
    """Read a whole PDF.

    :param data: the file's bytes.
    :param name: used in messages.
    :param pictures: whether images and drawings are taken out.
    :raises SourceError: when it is encrypted or damaged.
    """
    document = open_pdf(data, name)
    try:
        pages = [read_page_safely(document, index, pictures) for index in range(len(document))]
        outline = read_outline(document)
        title = document.get_metadata_dict().get("Title")
    finally:
        document.close()
    if all(page.damaged for page in pages):
        raise damaged_pdf(name, "none of its pages can be opened")
    return assemble(pages, outline, title)


def read_page_safely(document: pypdfium2.PdfDocument, index: int, pictures: bool = True) -> PageLayout:
    """Read one page; a page that cannot be read comes back as a damaged one."""
    try:
        return read_page(document, index, pictures)
    except (pypdfium2.PdfiumError, ctypes.ArgumentError, PageTooSlowError, ValueError, OverflowError):
        return PageLayout(index, damaged=True)


def open_pdf(data: bytes, name: str) -> pypdfium2.PdfDocument:
    """Open a PDF.

    :raises SourceError: when it is encrypted, damaged or no PDF.
    """
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        # The code alone may be left over from a file before: PDFium does not reset it on every failure.
        locked = error.err_code in {pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY}
        if locked and b"/Encrypt" in data:
            raise SourceError(f"{name!r} is encrypted", "remove its password and ingest it again") from error
        raise damaged_pdf(name, "its structure cannot be read") from error


def damaged_pdf(name: str, reason: str) -> SourceError:
    """Build the error for a PDF that cannot be read."""
    return SourceError(
        f"{name!r} is damaged or no PDF ({reason})", "open and save it with a PDF program, or replace it"
    )
