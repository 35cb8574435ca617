"""Small PDF and Word files, and pictures, made for tests."""

import io
import zipfile
import zlib

from PIL import Image

_SPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)
_KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
_RELATIONS = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'


def png(width: int = 80, height: int = 60) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), (200, 30, 30)).save(out, "PNG")
    return out.getvalue()


def word_file(
    body: str, links: tuple[str, ...] = (), pictures: tuple[bytes, ...] = (), prolog: str = "", **parts: str
) -> bytes:
    """A Word file: `body` is XML; `parts` are XML of styles, numbering, footnotes, core, chart."""
    related = [f'<Relationship Id="{kind}" Type="{_KINDS}{kind}" Target="{kind}.xml"/>' for kind in parts]
    related += [
        f'<Relationship Id="link{i}" Type="{_KINDS}{"image" if link.endswith(".png") else "hyperlink"}" '
        f'Target="{link}" TargetMode="External"/>'
        for i, link in enumerate(links)
    ]
    related += [f'<Relationship Id="pic{i}" Type="{_KINDS}image" Target="p{i}.png"/>' for i in range(len(pictures))]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        core = f'<Relationship Id="c" Type="{_KINDS}metadata/core-properties" Target="word/core.xml"/>'
        archive.writestr(
            "_rels/.rels",
            f'{_RELATIONS}<Relationship Id="d" Type="{_KINDS}officeDocument" Target="word/document.xml"/>{core}'
            "</Relationships>",
        )
        archive.writestr("word/_rels/document.xml.rels", f"{_RELATIONS}{''.join(related)}</Relationships>")
        archive.writestr("word/document.xml", f"{prolog}<w:document {_SPACES}><w:body>{body}</w:body></w:document>")
        for kind, xml in parts.items():
            archive.writestr(f"word/{kind}.xml", xml.replace("SPACES", _SPACES))
        for index, data in enumerate(pictures):
            archive.writestr(f"word/p{index}.png", data)
    return out.getvalue()


WIDTH, HEIGHT = 612.0, 792.0
_FONTS = {"F1": "Helvetica", "F2": "Helvetica-Bold", "F3": "Courier"}


class PdfPage:
    """Content of one page; y counts from the bottom, as in PDF itself."""

    def __init__(self, rotate: int = 0) -> None:
        self.rotate = rotate
        self.content: list[str] = []
        self.links: list[tuple[tuple[float, float, float, float], str]] = []
        self.images: list[tuple[int, int, bytes]] = []
        self.annotations: list[str] = []

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

    def annotate(self, box: tuple[float, float, float, float], subtype: str, more: str) -> "PdfPage":
        """Add an annotation, or a form field ("Widget"); `more` holds the further entries of its dictionary."""
        self.annotations.append(f"<< /Type /Annot /Subtype /{subtype} /Rect [{' '.join(map(str, box))}] /F 4 {more} >>")
        return self


def write_pdf(
    pages: list[PdfPage],
    outline: list[tuple[str, int]] = (),
    missing: tuple[int, ...] = (),
    title: str = "",
    trailer: str = "",
) -> bytes:
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
    kids: list[int] = []
    fields: list[int] = []
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
        annotations = [add(body) for body in page.annotations]
        fields += [number for number, body in zip(annotations, page.annotations, strict=True) if "/Widget" in body]
        stream = add("<< /Length LENGTH >>", "\n".join(page.content).encode("latin-1"))
        drawn = " ".join(f"/I{number} {name} 0 R" for number, name in enumerate(images, 1))
        kid = add(
            f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Rotate {page.rotate} "
            f"/Resources << /Font << {named} >> /XObject << {drawn} >> >> "
            f"/Annots [{' '.join(f'{number} 0 R' for number in [*links, *annotations])}] /Contents {stream} 0 R >>"
        )
        kids.append(kid if index not in missing else 9000 + index)
    root = ""
    if outline:
        first = len(objects) + 2
        top = add(
            f"<< /Type /Outlines /First {first} 0 R /Last {first + len(outline) - 1} 0 R /Count {len(outline)} >>"
        )
        for number, (entry, page_index) in enumerate(outline):
            chain = (f"/Prev {first + number - 1} 0 R " if number else "") + (
                f"/Next {first + number + 1} 0 R " if number + 1 < len(outline) else ""
            )
            add(f"<< /Title ({entry}) /Parent {top} 0 R {chain}/Dest [{kids[page_index]} 0 R /Fit] >>")
        root = f"/Outlines {top} 0 R"
    if fields:
        root += f" /AcroForm << /Fields [{' '.join(f'{number} 0 R' for number in fields)}] >>"
    info = add(f"<< /Title <FEFF{title.encode('utf-16-be').hex()}> >>")
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
    root = f"/Root {catalog} 0 R /Info {info} 0 R {trailer}"
    out += f"trailer\n<< /Size {len(objects) + 1} {root} >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)


def write_pages(texts: list[str], images: dict[int, tuple[float, float, float, float]] | None = None, **more) -> bytes:
    """Return a PDF file with these lines on its pages; `images` says where a page shows a picture (x, y, w, h)."""
    pages = []
    for index, text in enumerate(texts):
        page = PdfPage()
        for row, line in enumerate(text.splitlines()):
            page.text(72, 720 - 20 * row, line)
        if images and index in images:
            page.image(images[index], 64, 64, bytes((index * 40 + 7 * i + i * i) % 256 for i in range(64 * 64 * 3)))
        pages.append(page)
    return write_pdf(pages, **more)
