"""Small PDF files, and page layouts without a file."""

import pytest

from khub.components.converters.pdf.document_reader import read_pdf
from khub.components.converters.pdf.layout import PageLayout, Segment, Word
from khub.components.converters.pdf.share import PdfShare
from tests.components.converters.files import HEIGHT, WIDTH, PdfPage, write_pdf


def segment(x: float, y: float, text: str, size: float = 10, bold: bool = False, **more: object) -> Segment:
    """A run of words; letters are half as wide as high, Han as wide as high; y is the baseline from the top."""
    words, at = [], x
    for part in text.split(" "):
        width = sum(size if ord(letter) > 0x2E80 else size / 2 for letter in part)
        words.append(Word(part, at, at + width))
        at += width + size / 4
    return Segment(words, x, y - 0.8 * size, words[-1].x1, y + 0.2 * size, y, size, bold, **more)


def assemble(pages, outline=(), title=None):
    """Phase two, all pages in one share."""
    share = PdfShare(pages, list(outline), title)
    share.draft([share.clean([share.find_repeated()])])
    return share.finish([])


@pytest.fixture(scope="session")
def new_page():
    return PdfPage


@pytest.fixture(scope="session")
def seg():
    return segment


@pytest.fixture(scope="session")
def read():
    """Write pages, read the file back."""
    return lambda pages, **more: read_pdf(write_pdf(pages, **more), "a.pdf")


@pytest.fixture(scope="session")
def lay_out():
    """Assemble pages given as lists of segments; keywords go to every page."""

    def run(*pages, outline=(), title=None, **more):
        layouts = [PageLayout(index, WIDTH, HEIGHT, list(parts), **more) for index, parts in enumerate(pages)]
        return assemble(layouts, outline, title)

    return run


@pytest.fixture(scope="session")
def prose(seg):
    """Full lines of running text: `prose(x, y, lines, width)`."""

    def run(x=72.0, y=200.0, lines=4, width=460.0, size=10.0, start="Plain"):
        words = ["plain", "words", "fill", "this", "line", "of", "text", "until", "it", "ends", "here"] * 9
        rows = []
        for number in range(lines):
            text = start if not number else words[number]
            for word in words:
                if seg(x, 0, f"{text} {word}", size).x1 > x + width:
                    break
                text = f"{text} {word}"
            rows.append(seg(x, y + 12 * number, text, size))
        return rows

    return run
