import io
import zipfile

import pytest
from PIL import Image

from components.converters.conversion import build_markitdown, convert_bytes
from components.errors import SourceError

pytestmark = pytest.mark.unit

OPF = """<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title>The Pond</dc:title><dc:creator>Ann</dc:creator><dc:creator>Bo</dc:creator><dc:date>2020</dc:date></metadata>
<manifest><item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="two" href="text/b%20two.xhtml" media-type="application/xhtml+xml"/>
<item id="one" href="text/a.xhtml" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="n"/><itemref idref="two"/><itemref idref="one"/></spine></package>"""


def book(**more):
    picture = io.BytesIO()
    Image.new("RGB", (60, 60)).save(picture, "JPEG")
    files = {
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="OPS/c.opf"/></rootfiles></container>',
        "OPS/c.opf": OPF,
        "OPS/nav.xhtml": '<nav><a href="text/a.xhtml">Second</a></nav>',
        "OPS/text/b two.xhtml": "<h1>Chapter</h1><p>It was dark.</p><img src='../p.jpg' alt='The pond'/>",
        "OPS/text/a.xhtml": "<p>It was light.</p>",
        "OPS/p.jpg": picture.getvalue(),
        **more,
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def test_chapters_in_reading_order_with_pictures():
    converted = convert_bytes(build_markitdown(), book(), "a.epub", 50)
    assert converted["text"] == "# Chapter\n\nIt was dark.\n\n[IMAGE: 1@0]\n\nThe pond\n\nIt was light."
    assert converted["title"] == "The Pond"
    assert converted["metadata"] == {"author": "Ann, Bo", "created": "2020"}
    assert converted["pictures"][0]["mime"] == "image/jpeg"


def test_protected_book():
    locked = '<encryption><CipherReference URI="OPS/text/a.xhtml"/></encryption>'
    with pytest.raises(SourceError, match="protected"):
        convert_bytes(build_markitdown(), book(**{"META-INF/encryption.xml": locked}), "a.epub", 50)


def test_book_without_its_list_of_chapters():
    with pytest.raises(SourceError, match=r"'a\.epub' cannot be converted"):
        convert_bytes(build_markitdown(), book(**{"OPS/c.opf": "<broken"}), "a.epub", 50)
