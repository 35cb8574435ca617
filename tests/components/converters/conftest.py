import hashlib
import io
import zipfile
from pathlib import Path

import psutil
import pytest

from components.converters.markitdown_converter import MarkItDownConverter

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
DOCUMENT_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

# The real worker with a light parser of HTML and PDF, as MarkItDown takes a second to load; but for files whose names
# begin so one that misbehaves; "half-": only with the second half of the pages. Each leaves a file of its name in the
# folder $REACHED.
MISBEHAVING = """
import sys; root, memory_mb = sys.argv[1:]; sys.path.insert(0, root)
import os, pathlib, re, socket, subprocess, time, types
light = types.ModuleType("components.converters.conversion")
light.build_markitdown = lambda engine: None
def light_convert(markitdown, data, name, max_mb, pictures=True):
    if name.endswith(".pdf"):
        from components.converters.pdf import read_pdf
        return light_pdf(read_pdf(data, name, pictures), name, pictures)
    return {"text": re.sub("<[^>]*>", "", data.decode().replace("<h1>", "# ")), "title": None}
def light_pdf(text, name, pictures):
    from components.converters.pages import join_pages
    return {"text": join_pages(text.pages)[0], "title": None}
light.convert_bytes, light.finish_pdf = light_convert, light_pdf
sys.modules[light.__name__] = light
import components.converters.worker_requests as requests
real_convert, real_read = requests.convert_bytes, requests.read_share
def misbehave(name):
    if "REACHED" in os.environ: pathlib.Path(os.environ["REACHED"], name).touch()
    if name.startswith("crash"): os.abort()
    if name.startswith("hang"):
        while True: pass
    if name.startswith("swell"): bytearray(400_000_000)
    if name.startswith("fail"): raise ValueError("a bug")
    if name.startswith("print"): print("x" * 100_000); os.write(1, b"raw")
    if name.startswith("fetch"): socket.create_connection(("127.0.0.1", 9), timeout=1)
    if name.startswith("spawn"): subprocess.run([sys.executable, "-V"])
    if name.startswith("meet"):
        end = time.monotonic() + 20
        while len(os.listdir(os.environ["REACHED"])) < 2:
            if time.monotonic() > end: raise ValueError("nobody came")
            time.sleep(0.01)
def convert_bytes(markitdown, data, name, *more):
    misbehave(name)
    if name.startswith("print"): return {"text": repr(sys.stdin.read()), "title": None}
    return real_convert(markitdown, data, name, *more)
def read_share(data, name, first, *more):
    misbehave(name.removeprefix("half-") if first else name)
    return real_read(data, name, first, *more)
requests.convert_bytes, requests.read_share = convert_bytes, read_share
from components.converters.worker import main
main(int(memory_mb))
"""


def _pdf_string(text: str) -> str:
    return "<FEFF" + text.encode("utf-16-be").hex() + ">"


def write_pdf(
    pages: list[str],
    title: str | None = None,
    trailer: str = "",
    missing: tuple[int, ...] = (),
    images: dict[int, tuple[int, int, int, int]] | None = None,
) -> bytes:
    """A minimal PDF: Helvetica, one text line per line of each page.

    `missing` pages are named but not there; `images` says where (left, bottom, width, height) a page shows a picture.
    """
    count = len(pages)
    objects = {
        1: "<< /Type /Catalog /Pages 2 0 R >>",
        2: f"<< /Type /Pages /Count {count} /Kids [{' '.join(f'{10 + 2 * i} 0 R' for i in range(count))}] >>",
        3: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        4: f"<< /Title {_pdf_string(title)} >>" if title is not None else "<< >>",
    }
    for index, text in enumerate(pages):
        if index in missing:
            continue
        lines = "".join(f"1 0 0 1 72 {720 - 20 * i} Tm ({line}) Tj " for i, line in enumerate(text.splitlines()))
        stream = f"BT /F1 12 Tf {lines}ET"
        if images and index in images:
            left, bottom, width, height = images[index]
            dots = bytes((index * 40 + 7 * i + i * i) % 256 for i in range(64 * 64)).hex()
            shown = f"BI /W 64 /H 64 /CS /G /BPC 8 /F /AHx ID {dots}> EI"
            stream += f" q {width} 0 0 {height} {left} {bottom} cm {shown} Q"
        objects[10 + 2 * index] = (
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {11 + 2 * index} 0 R >>"
        )
        objects[11 + 2 * index] = f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream"
    out = bytearray(b"%PDF-1.7\n")
    offsets = {}
    for number in sorted(objects):
        offsets[number] = len(out)
        out += f"{number} 0 obj\n{objects[number]}\nendobj\n".encode("latin-1")
    start = len(out)
    size = max(objects) + 1
    out += f"xref\n0 {size}\n".encode()
    for number in range(size):
        entry = f"{offsets[number]:010d} 00000 n \n" if number in offsets else "0000000000 65535 f \n"
        out += entry.encode()
    out += f"trailer\n<< /Size {size} /Root 1 0 R /Info 4 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)


def write_docx(paragraphs: list[tuple[str, str]], extra_rels: str = "", prolog: str = "") -> bytes:
    """A minimal Word file: (style name, text) per paragraph; text may hold XML."""
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="s{i}"><w:name w:val="{style}"/></w:style>'
        for i, (style, _) in enumerate(paragraphs)
    )
    body = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="s{i}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'
        for i, (_, text) in enumerate(paragraphs)
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    files = {
        "[Content_Types].xml": (
            f'{head}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/word/document.xml" ContentType="{kind}.document.main+xml"/>'
            f'<Override PartName="/word/styles.xml" ContentType="{kind}.styles+xml"/></Types>'
        ),
        "_rels/.rels": (
            f'{head}<Relationships xmlns="{RELATIONS}"><Relationship Id="r1" '
            f'Type="{DOCUMENT_RELATION}/officeDocument" Target="word/document.xml"/></Relationships>'
        ),
        "word/_rels/document.xml.rels": (
            f'{head}<Relationships xmlns="{RELATIONS}"><Relationship Id="r1" '
            f'Type="{DOCUMENT_RELATION}/styles" Target="styles.xml"/>{extra_rels}</Relationships>'
        ),
        "word/styles.xml": f'{head}<w:styles xmlns:w="{WORD}">{styles}</w:styles>',
        "word/document.xml": f'{head}{prolog}<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def record(path: Path, **more: object) -> dict:
    """The source record of a file, as the integrity check makes it."""
    data = path.read_bytes() if path.is_file() else b""
    return {
        "path": str(path),
        "doc_id": f"id-{path.name}",
        "sha256": hashlib.sha256(data).hexdigest(),
        "size": len(data),
        **more,
    }


@pytest.fixture(scope="session")
def misbehaving():
    """The start of a worker whose parser crashes, hangs … as the names of files say."""
    return MISBEHAVING


@pytest.fixture
def gone():
    """A function: wait until a process has ended."""

    def run(pid: int) -> bool:
        _, alive = psutil.wait_procs([psutil.Process(pid)] if psutil.pid_exists(pid) else [], timeout=30)
        return not alive

    return run


@pytest.fixture(scope="session")
def make_pdf():
    return write_pdf


@pytest.fixture(scope="session")
def make_scan():
    """A function: a PDF of so many pages, each of which is a picture."""
    return lambda count: write_pdf([""] * count, images=dict.fromkeys(range(count), (0, 0, 612, 792)))


@pytest.fixture(scope="session")
def make_docx():
    return write_docx


@pytest.fixture(scope="session")
def source_of():
    return record


@pytest.fixture(scope="module")
def converter():
    component = MarkItDownConverter()
    yield component
    component.close()


@pytest.fixture
def convert(converter, source_of, tmp_path):
    """Write bytes to a file, convert it, return (document, None) or (None, failure)."""

    def run(name: str, data: bytes, with_converter: MarkItDownConverter = converter, **more: object):
        path = tmp_path / name
        path.write_bytes(data)
        result = with_converter.run(sources=[source_of(path, **more)])
        assert result["remaining"] == []
        document = result["documents"][0] if result["documents"] else None
        failure = result["failed"][0] if result["failed"] else None
        assert (document is None) != (failure is None)
        return document, failure

    return run
