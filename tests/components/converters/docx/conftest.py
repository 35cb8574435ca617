import io
import zipfile

import pytest
from PIL import Image

from components.converters.conversion import build_markitdown, convert_bytes

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


def word_file(body: str, links: tuple[str, ...] = (), pictures: tuple[bytes, ...] = (), **parts: str) -> bytes:
    """A Word file: `body` is XML; `parts` are XML of styles, numbering, footnotes, core, chart."""
    related = [f'<Relationship Id="{kind}" Type="{_KINDS}{kind}" Target="{kind}.xml"/>' for kind in parts]
    related += [
        f'<Relationship Id="link{i}" Type="{_KINDS}hyperlink" Target="{link}" TargetMode="External"/>'
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
        archive.writestr("word/document.xml", f"<w:document {_SPACES}><w:body>{body}</w:body></w:document>")
        for kind, xml in parts.items():
            archive.writestr(f"word/{kind}.xml", xml.replace("SPACES", _SPACES))
        for index, data in enumerate(pictures):
            archive.writestr(f"word/p{index}.png", data)
    return out.getvalue()


@pytest.fixture(scope="session")
def make_word():
    return word_file


@pytest.fixture(scope="session")
def make_png():
    return png


@pytest.fixture(scope="session")
def read_word():
    markitdown = build_markitdown()

    def read(body: str, **parts):
        return convert_bytes(markitdown, word_file(body, **parts), "a.docx", 50)

    return read
