import io
import zipfile

import pytest
from PIL import Image

from khub.components.converters.conversion import build_markitdown, convert_bytes
from khub.components.errors import SourceError
from tests.components.converters import books

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


CHAPTER = "<h1>Pumps</h1><p>Close the valve before the pump is opened.</p>"
LINKS = "".join(f"<li><a href='c{number}.xhtml#top'>Chapter {number}</a></li>" for number in (1, 2, 3, 4))
CHAPTERS = [f"<h1>Chapter {number}</h1><p>Text {number}.</p>" for number in (1, 2, 3)]
ITEM = '<item id="n" href="n.xhtml" properties="nav"/>'


def read_book(data):
    converted = convert_bytes(build_markitdown(), data, "a.epub", 50)
    return converted["text"], converted.get("removed", {})


def in_spine(data):
    """The book with its page of navigation as the first chapter."""
    source, out = zipfile.ZipFile(io.BytesIO(data)), io.BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            part = source.read(name)
            target.writestr(
                name, part.replace(b"<spine>", b'<spine><itemref idref="n"/>') if name == "book.opf" else part
            )
    return out.getvalue()


@pytest.mark.parametrize(
    ("page", "item"),
    [
        ("<nav epub:type='toc'><h2>Contents</h2><ol><li><a href='c1.xhtml'>Pumps</a></ol></nav>", ITEM),
        ("<h1>Contents</h1><nav><ol><li><a href='c1.xhtml'>Pumps</a></ol></nav>", ITEM),
        ("<h1>目录</h1><p>1. <a href='c1.xhtml'>Pumps</a></p>", ITEM),
        ("<h1>Contents</h1><p><a href='c1.xhtml'>Pumps</a></p>", ITEM.replace(' properties="nav"', "")),
    ],
    ids=["nav", "its heading", "no nav", "guide"],
)
def test_a_list_of_chapters_is_no_text_and_is_told(page, item):
    guide = "" if "properties" in item else '</manifest><guide><reference type="toc" href="n.xhtml"/></guide><manifest>'
    text, removed = read_book(in_spine(books.book(CHAPTER, items=item + guide, **{"n.xhtml": page})))
    assert text == "# Pumps\n\nClose the valve before the pump is opened."
    assert removed["list of chapters"] > 0


def test_a_list_of_which_the_book_says_nothing():
    text, removed = read_book(books.book(*CHAPTERS, f"<h1>Brief contents</h1><ul>{LINKS}</ul>"))
    assert "Brief contents" not in text
    assert [text.count(f"Chapter {number}") for number in (1, 2, 3)] == [1, 1, 1]
    assert removed == {"list of chapters": 10}


@pytest.mark.parametrize(
    "page",
    [
        f"<h1>Further reading</h1><p>KEPT: words about the chapters, not only their names.</p><ul>{LINKS}</ul>",
        "<h1>KEPT</h1>",
        "<p>KEPT <a href='c1.xhtml'>Chapter 1</a></p>",
        "<p>KEPT</p><ul>" + "<li><a href='https://a.b/c'>A site</a></li>" * 9 + "</ul>",
    ],
    ids=["words", "heading", "one link", "other sites"],
)
def test_a_chapter_with_links_stays(page):
    text, removed = read_book(books.book(*CHAPTERS, page))
    assert "KEPT" in text
    assert removed == {}


def test_a_page_of_navigation_with_more_on_it_keeps_that():
    page = "<p>KEPT: this edition is for people who repair pumps.</p><nav><a href='c1.xhtml'>CHAPTERS</a></nav>"
    text, _ = read_book(in_spine(books.book(CHAPTER, items=ITEM, **{"n.xhtml": page})))
    assert text.startswith("KEPT: this edition")
    assert "CHAPTERS" not in text


def test_a_chapter_that_is_not_there_is_told():
    items = '<item id="n" href="gone.xhtml"/>'
    text, removed = read_book(in_spine(books.book(CHAPTER, items=items)))
    assert text.startswith("# Pumps")
    assert removed == {"missing chapters": 1}


def test_a_package_document_whose_names_have_a_prefix():
    plain = zipfile.ZipFile(io.BytesIO(books.book(CHAPTER))).read("book.opf").decode()
    names = ("package", "metadata", "manifest", "item", "spine", "itemref")
    prefixed = plain.replace("xmlns=", "xmlns:opf=")
    for name in names:
        prefixed = prefixed.replace(f"<{name} ", f"<opf:{name} ").replace(f"<{name}>", f"<opf:{name}>")
        prefixed = prefixed.replace(f"</{name}>", f"</opf:{name}>")
    assert read_book(books.book(CHAPTER, **{"book.opf": prefixed}))[0].startswith("# Pumps")
