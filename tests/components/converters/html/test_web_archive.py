"""A page saved in one file is read as the page, with the pictures that were saved with it."""

from email.message import Message
from email.mime.image import MIMEImage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

import pytest

from khub.components.converters.conversion import build_markitdown, convert_bytes
from khub.components.errors import SourceError
from tests.components.converters.files import png

pytestmark = pytest.mark.unit

PAGE = "https://a.org/towns/rain.html"
TABLE = "<table><tr><th>Town<th>Rain<tr><td>Oslo<td>120</table>"
READ = "| Town | Rain |\n| --- | --- |\n| Oslo | 120 |"


def page(html, address=PAGE, charset="utf-8", declared=None):
    part = MIMEText(html, "html", charset)
    if declared is not None:
        part.set_param("charset", declared)
    part["Content-Location"] = address
    return part


def picture(address="", content_id=""):
    part = MIMEImage(png(), "png")
    for name, value in (("Content-Location", address), ("Content-ID", content_id)):
        if value:
            part[name] = value
    return part


def saved(*parts, **heads):
    archive = MIMEMultipart("related", type="text/html")
    for name, value in {"From": "<Saved by a browser>", "Subject": "Rain", **heads}.items():
        archive[name] = value
    for part in parts:
        archive.attach(part)
    return bytes(archive)


def read(data, name="a.mhtml"):
    return convert_bytes(build_markitdown(), data, name, 50)


@pytest.mark.parametrize("name", ["a.mht", "A.MHTML"])
def test_the_page_with_its_title_and_address(name):
    converted = read(saved(page(f"<title>Rain in towns</title><nav>MENU</nav><h1>Rain</h1>{TABLE}")), name)
    assert converted["text"] == f"# Rain\n\n{READ}"
    assert converted["title"] == "Rain in towns"
    assert converted["metadata"]["address"] == PAGE


@pytest.mark.parametrize(
    ("source", "part"),
    [
        ("../maps/rain.png", picture("https://a.org/maps/rain.png")),
        ("https://b.org/rain.png", picture("https://b.org/rain.png")),
        ("cid:map@saved", picture(content_id="<map@saved>")),
    ],
    ids=["relative", "absolute", "content id"],
)
def test_pictures(source, part):
    converted = read(saved(page(f"<p>A map</p><img src='{source}' alt='The map'>"), part))
    assert converted["text"] == "A map\n\n[IMAGE: 1@0]\n\nThe map"
    assert len(converted["pictures"]) == 1


def test_a_page_as_word_saves_it():
    head = "<html xmlns:o='urn:schemas-microsoft-com:office:office'>"
    html = f"{head}<p>降雨量<o:p></o:p><p><![if !vml]><img src='a.files/i.png'><![endif]>"
    parts = [page(html, "file:///C:/X/a.htm", "gb18030", "gb2312"), picture("file:///C:/X/a.files/i.png")]
    converted = read(saved(*parts), "a.mht")
    assert converted["text"] == "降雨量\n\n[IMAGE: 1@0]"
    assert "address" not in converted.get("metadata", {})


def test_the_page_that_the_archive_names_comes_first():
    other, main = page("<p>Other</p>", "https://a.org/other"), page("<p>Main</p>")
    main["Content-ID"] = "<main@saved>"
    archive = saved(other, main).replace(b'type="text/html"', b'type="text/html"; start="<main@saved>"')
    assert read(archive)["text"] == "Main"


def test_the_sheets_of_a_workbook():
    frames = "<frameset><frame src='b.files/one.htm'><frame src='b.files/two.htm'></frameset>"
    sheets = [page(f"<p>{name}</p>{TABLE}", f"file:///C:/b.files/{name}.htm") for name in ("one", "two")]
    assert read(saved(page(frames, "file:///C:/b.htm"), *sheets))["text"] == f"one\n\n{READ}\n\ntwo\n\n{READ}"


@pytest.mark.parametrize(
    ("charset", "declared"), [("gb18030", "gb2312"), ("cp1252", "iso-8859-1"), ("utf-8", "us-ascii")]
)
def test_what_the_part_says_of_its_charset(charset, declared):
    text = "温度 25 ℃，压力正常" if charset == "gb18030" else "Preis: 5 € – “ja”"
    if charset == "utf-8":
        text = "温度 25 ℃"
    assert read(saved(page(f"<p>{text}</p>", charset=charset, declared=declared)))["text"] == text


def test_a_page_that_is_no_multipart():
    single = Message()
    single["Subject"], single["Content-Type"] = "Rain", "text/html; charset=utf-8"
    single.set_payload(b"<p>Only the page</p>")
    assert read(bytes(single))["text"] == "Only the page"


@pytest.mark.parametrize("data", [b"just words", saved(picture("https://a.org/i.png"))], ids=["words", "no page"])
def test_a_file_without_a_page(data):
    with pytest.raises(SourceError, match="no saved page"):
        read(data)
