"""A share of a PDF's pages, so that several processes can read one file."""

from dataclasses import dataclass, field

from components.converters.pdf.assemble import PdfText, assemble
from components.converters.pdf.document_reader import damaged_pdf, open_pdf, read_page_safely
from components.converters.pdf.layout import PageLayout
from components.converters.pdf.outline import OutlineEntry, read_outline


@dataclass(slots=True)
class PdfShare:
    """Pages of a document, and what is said of all of it.

    :param outline: its bookmarks, where the share begins with the first page.
    :param title: from its metadata.
    """

    pages: list[PageLayout] = field(default_factory=list)
    outline: list[OutlineEntry] = field(default_factory=list)
    title: str | None = None


def count_pages(data: bytes, name: str) -> int:
    """Return the number of pages.

    :raises SourceError: when it is encrypted or damaged.
    """
    document = open_pdf(data, name)
    try:
        return len(document)
    finally:
        document.close()


def read_share(data: bytes, name: str, first: int, last: int | None, pictures: bool) -> PdfShare:
    """Read some pages of a PDF.

    :param data: the file's bytes.
    :param name: used in messages.
    :param first: number of the first page, from 0.
    :param last: number of the page after the last one; None for all.
    :param pictures: whether images and drawings are taken out.
    :raises SourceError: when it is encrypted or damaged.
    """
    document = open_pdf(data, name)
    try:
        end = len(document) if last is None else last
        pages = [read_page_safely(document, index, pictures) for index in range(first, end)]
        outline = read_outline(document) if first == 0 else []
        return PdfShare(pages, outline, document.get_metadata_dict().get("Title"))
    finally:
        document.close()


def finish_share(share: PdfShare, name: str) -> PdfText:
    """Make the text of a document, all of whose pages are in the share by now.

    :raises SourceError: when none of its pages could be read.
    """
    if all(page.damaged for page in share.pages):
        raise damaged_pdf(name, "none of its pages can be opened")
    return assemble(share.pages, share.outline, share.title)
