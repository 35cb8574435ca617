"""A PDF read from its bytes, or a share of its pages."""

import ctypes
from contextlib import suppress

import pypdfium2
import pypdfium2.raw as pdfium

from khub.components.converters.pdf.assemble import PdfText
from khub.components.converters.pdf.deadline import PageTooSlowError
from khub.components.converters.pdf.layout import PageLayout
from khub.components.converters.pdf.outline import read_outline
from khub.components.converters.pdf.page_reader import read_page
from khub.components.converters.pdf.share import PdfShare, damaged_pdf
from khub.components.errors import SourceEncryptedError


def read_pdf(data: bytes, name: str, pictures: bool = True) -> PdfText:
    """Read a whole PDF.

    :param data: the file's bytes.
    :param name: used in messages.
    :param pictures: whether images and drawings are taken out.
    :raises SourceError: when it is encrypted or damaged.
    """
    return read_share(data, name, 0, 1, pictures).whole()


def read_share(data: bytes, name: str, first: int, step: int, pictures: bool) -> PdfShare:
    """Read every `step`-th page of a PDF: neighbours are alike, so that all shares are about the same work.

    :param data: the file's bytes.
    :param name: used in messages.
    :param first: index of the first page, from 0.
    :param step: from one page to the next; 1 for all.
    :param pictures: whether images and drawings are taken out.
    :raises SourceError: when it is encrypted or damaged.
    """
    document = open_pdf(data, name)
    try:
        pages = [read_page_safely(document, index, pictures) for index in range(first, len(document), step)]
        outline = read_outline(document) if first == 0 else []
        return PdfShare(pages, outline, document.get_metadata_dict().get("Title"), name)
    finally:
        document.close()


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
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        # The code alone may be left over from a file before: PDFium does not reset it on every failure.
        locked = error.err_code in {pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY}
        if locked and b"/Encrypt" in data:
            raise SourceEncryptedError(f"{name!r} is encrypted", "remove its password and ingest it again") from error
        raise damaged_pdf(name, "its structure cannot be read") from error
    with suppress(pypdfium2.PdfiumError):  # a form that does not open leaves the pages as they are printed
        document.init_forms()
    return document
