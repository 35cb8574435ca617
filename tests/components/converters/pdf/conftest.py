"""Small PDF files, and page layouts without a file."""

import zlib

import pytest

from components.converters.pdf.document_reader import read_pdf
from components.converters.pdf.layout import PageLayout, Segment, Word
from components.converters.pdf.share import PdfShare

WIDTH, HEIGHT = 612.0, 792.0
_FONTS = {"F1": "Helvetica", "F2": "Helvetica-Bold", "F3": "Courier"}


class PdfPage:
    """Content of one page; y counts from the bottom, as in PDF itself."""

    def __init__(self, rotate: int = 0) -> None:
        self.rotate = rotate
        self.content: list[str] = []
        self.links: list[tuple[tuple[float, float, float, float], str]] = []
        self.images: list[tuple[int, int, bytes]] = []

    def text(self, x: float, y: float, text: str, size: float = 12, font: str = "F1") -> "PdfPage":
        escaped = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        self.content.append(f"BT /{font} {size} Tf 1 0 0 1 {x} {y} Tm ({escaped}) Tj ET")
        return self

    def chinese(self, x: float, y: float, text: str, size: float = 12) -> "PdfPage":
        self.content.append(f"BT /C1 {size} Tf 1 0 0 1 {x} {y} Tm <{text.encode('utf-16-be').hex()}> Tj ET")
        return self

    def draw(self, operators: str) -> "PdfPage":
        self.content.append(operators)
        return self

    def line(self, x0: float, y0: float, x1: float, y1: float) -> "PdfPage":
        return self.draw(f"{x0} {y0} m {x1} {y1} l S")

    def image(self, box: tuple[float, float, float, float], width: int, height: int, rgb: bytes) -> "PdfPage":
        self.images.append((width, height, rgb))
        x, y, w, h = box
        return self.draw(f"q {w} 0 0 {h} {x} {y} cm /I{len(self.images)} Do Q")

    def link(self, box: tuple[float, float, float, float], uri: str) -> "PdfPage":
        self.links.append((box, uri))
        return self


def write(pages: list[PdfPage], outline: list[tuple[str, int]] = (), missing: tuple[int, ...] = ()) -> bytes:
    """Return a PDF file; `outline` holds titles and page indexes; `missing` pages are named but not there."""
    objects: list[bytes] = []

    def add(body: str, stream: bytes | None = None) -> int:
        data = body.encode("latin-1")
        if stream is not None:
            data = data.replace(b"LENGTH", str(len(stream)).encode()) + b"\nstream\n" + stream + b"\nendstream"
        objects.append(data)
        return len(objects)

    catalog, tree = add(""), add("")
    fonts = {name: add(f"<< /Type /Font /Subtype /Type1 /BaseFont /{base} >>") for name, base in _FONTS.items()}
    descriptor = add(
        "<< /Type /FontDescriptor /FontName /STSong-Light /Flags 4 /FontBBox [0 -120 1000 880] /ItalicAngle 0 "
        "/Ascent 880 /Descent -120 /CapHeight 880 /StemV 80 >>"
    )
    cid = add(
        "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /CIDSystemInfo "
        f"<< /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> /FontDescriptor {descriptor} 0 R /DW 1000 >>"
    )
    fonts["C1"] = add(
        "<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H "
        f"/DescendantFonts [{cid} 0 R] >>"
    )
    named = " ".join(f"/{name} {number} 0 R" for name, number in fonts.items())
    kids = []
    for index, page in enumerate(pages):
        images = [
            add(
                f"<< /Type /XObject /Subtype /Image /Width {w} /Height {h} /ColorSpace /DeviceRGB "
                "/BitsPerComponent 8 /Filter /FlateDecode /Length LENGTH >>",
                zlib.compress(rgb),
            )
            for w, h, rgb in page.images
        ]
        links = [
            add(f"<< /Type /Annot /Subtype /Link /Rect [{' '.join(map(str, box))}] /A << /S /URI /URI ({uri}) >> >>")
            for box, uri in page.links
        ]
        stream = add("<< /Length LENGTH >>", "\n".join(page.content).encode("latin-1"))
        drawn = " ".join(f"/I{number} {name} 0 R" for number, name in enumerate(images, 1))
        kid = add(
            f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Rotate {page.rotate} "
            f"/Resources << /Font << {named} >> /XObject << {drawn} >> >> "
            f"/Annots [{' '.join(f'{link} 0 R' for link in links)}] /Contents {stream} 0 R >>"
        )
        kids.append(kid if index not in missing else 9000 + index)
    root = ""
    if outline:
        first = len(objects) + 2
        top = add(
            f"<< /Type /Outlines /First {first} 0 R /Last {first + len(outline) - 1} 0 R /Count {len(outline)} >>"
        )
        for number, (title, page_index) in enumerate(outline):
            chain = (f"/Prev {first + number - 1} 0 R " if number else "") + (
                f"/Next {first + number + 1} 0 R " if number + 1 < len(outline) else ""
            )
            add(f"<< /Title ({title}) /Parent {top} 0 R {chain}/Dest [{kids[page_index]} 0 R /Fit] >>")
        root = f"/Outlines {top} 0 R"
    objects[catalog - 1] = f"<< /Type /Catalog /Pages {tree} 0 R {root} >>".encode()
    objects[tree - 1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(f'{k} 0 R' for k in kids)}] >>".encode()
    out = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{offset:010d} 00000 n \n".encode() for offset in offsets)
    out += f"trailer\n<< /Size {len(objects) + 1} /Root {catalog} 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)


def segment(x: float, y: float, text: str, size: float = 10, bold: bool = False, **more: object) -> Segment:
    """A run of words; letters are half as wide as high, Han as wide as high; y is the baseline from the top."""
    words, at = [], x
    for part in text.split(" "):
        width = sum(size if ord(letter) > 0x2E80 else size / 2 for letter in part)
        words.append(Word(part, at, at + width))
        at += width + size / 4
    return Segment(words, x, y - 0.8 * size, words[-1].x1, y + 0.2 * size, y, size, bold, **more)


def assemble(pages, outline=()):
    """Phase two, all pages in one share."""
    share = PdfShare(pages, list(outline))
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
    return lambda pages, **more: read_pdf(write(pages, **more), "a.pdf")


@pytest.fixture(scope="session")
def lay_out():
    """Assemble pages given as lists of segments; keywords go to every page."""

    def run(*pages, outline=(), **more):
        layouts = [PageLayout(index, WIDTH, HEIGHT, list(parts), **more) for index, parts in enumerate(pages)]
        return assemble(layouts, outline)

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
