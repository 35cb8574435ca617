import datetime
import io
import socket
import sys
import zipfile

import openpyxl
import pptx
import pytest

from khub.components.catalog.scanned_pages import NEEDS_OCR
from khub.components.converters.conversion import build_markitdown, convert_bytes
from khub.components.errors import SourceError

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def to_markdown():
    markitdown = build_markitdown()
    return lambda data, name, max_mb=50: convert_bytes(markitdown, data, name, max_mb)


def paragraph(text):
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def test_pdf_pages(to_markdown, make_pdf):
    converted = to_markdown(make_pdf(["Page one", "", "Page three"], title="Page No One"), "a.pdf")
    text = converted["text"]
    assert text == "Page one\n\nPage three"
    assert converted["page_starts"] == [0, 10, 10]
    assert converted["page_count"] == 3
    assert converted["empty_pages"] == [2]
    assert converted["title"] == "Page No One"
    assert "damaged_pages" not in converted


@pytest.mark.parametrize(
    ("title", "name", "kept"),
    [
        ("User Manual", "User_Manual_1500S.pdf", False),
        ("User Manual", "1500S.pdf", True),
        ("User Manual", "user-manual.pdf", True),
        ("User Manual for the 1500S", "User manual for the 1500S, 2020.pdf", True),
    ],
)
def test_a_short_title_gives_way_to_a_file_name_that_holds_it_and_more(to_markdown, make_pdf, title, name, kept):
    assert to_markdown(make_pdf([title], title=title), name)["title"] == (title if kept else None)


@pytest.mark.parametrize(
    ("name", "remedy"), [("a.wps", "save it as .docx"), ("a.bin", ".csv, .doc, .docm, .docx"), ("Makefile", ".pdf")]
)
def test_a_type_that_is_not_converted(to_markdown, name, remedy):
    with pytest.raises(SourceError, match="which is not converted") as caught:
        to_markdown(b"some bytes", name)
    assert repr(name) in caught.value.message
    assert remedy in caught.value.remedy


def test_pdf_encrypted_then_damaged(to_markdown, make_pdf):
    lock = f"/Encrypt << /Filter /Standard /V 1 /R 2 /O <{'41' * 32}> /U <{'42' * 32}> /P -4 >> /ID [<00> <00>]"
    with pytest.raises(SourceError, match="is encrypted"):
        to_markdown(make_pdf(["secret"], trailer=lock), "a.pdf")
    # PDFium remembers the error code of the file before.
    with pytest.raises(SourceError, match="damaged or no PDF"):
        to_markdown(b"%PDF-1.4 nothing more", "a.pdf")


def test_docx_billion_laughs(to_markdown, make_word):
    entities = '<!ENTITY a0 "lol">' + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10))
    data = make_word(paragraph("&a9;"), prolog=f"<!DOCTYPE x [{entities}]>")
    try:
        converted = to_markdown(data, "a.docx")
    except SourceError:
        return
    assert len(converted["text"]) < 1000


def test_docx_external_entity_is_not_read(to_markdown, make_word, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("TOP SECRET", encoding="utf-8")
    data = make_word(paragraph("start &x; end"), prolog=f'<!DOCTYPE x [<!ENTITY x SYSTEM "{secret.as_uri()}">]>')
    try:
        converted = to_markdown(data, "a.docx")
    except SourceError:
        return
    assert "SECRET" not in converted["text"]


def test_docx_lacking_its_document(to_markdown):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("hello.txt", "hello")
    with pytest.raises(SourceError, match=r"'a\.docx'"):
        to_markdown(out.getvalue(), "a.docx")


def test_pptx_slides_are_pages(to_markdown):
    deck = pptx.Presentation()
    for title, body in (("First", "alpha"), ("Second", "<!-- Slide number: 9 -->"), ("Third", "gamma")):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text, slide.placeholders[1].text = title, body
    deck.slides.add_slide(deck.slide_layouts[6])
    out = io.BytesIO()
    deck.save(out)
    converted = to_markdown(out.getvalue(), "a.pptx")
    text, starts = converted["text"], converted["page_starts"]
    assert [text[start:].splitlines()[0] for start in starts[:3]] == ["# First", "# Second", "# Third"]
    assert converted["page_count"] == 4
    assert converted["empty_pages"] == [4]
    assert converted["title"] == "First"
    assert "Slide number: 1" not in text
    assert "gamma" in text


def test_xlsx(to_markdown):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "销售"
    sheet.append([None, "name", None, "count", "when"])
    sheet.append([])
    sheet.append([None, "a|b\nc", None, 3.0, datetime.datetime(2024, 5, 6)])
    sheet.append([None, None, None, 0.1 + 0.2, True])
    book.create_sheet("empty")
    book.create_sheet("far")["XFD100000"] = "cell"
    out = io.BytesIO()
    book.save(out)
    converted = to_markdown(out.getvalue(), "a.xlsx")
    assert converted["text"] == (
        "## 销售\n\n| name | count | when |\n| --- | --- | --- |\n| a\\|b c | 3 | 2024-05-06 |\n|  | 0.3 | TRUE |\n\n"
        "## far\n\ncell"
    )
    assert converted["title"] is None


@pytest.mark.parametrize("dimension", ["A1", "A1:XFD1048576"])
def test_xlsx_that_lies_about_its_size(to_markdown, dimension):
    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    book.active.append([1, 2])
    honest, lying = io.BytesIO(), io.BytesIO()
    book.save(honest)
    with zipfile.ZipFile(honest) as source, zipfile.ZipFile(lying, "w") as target:
        for name in source.namelist():
            target.writestr(name, source.read(name).replace(b'ref="A1:B2"', f'ref="{dimension}"'.encode()))
    assert to_markdown(lying.getvalue(), "a.xlsx")["text"] == "## Sheet\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"


@pytest.mark.parametrize(
    ("line", "delimiter"), [("sep=;", ";"), ("SEP=,", ","), ('"sep=^"', "^"), ("\ufeffsep=|", "|")]
)
def test_the_line_that_names_the_delimiter_is_no_row(to_markdown, line, delimiter):
    text = "\r\n".join([line, delimiter.join(["name", "price"]), delimiter.join(["pump", "1.5"])])
    rows = to_markdown(text.encode(), "a.csv")["text"].split("\n")
    assert [row.strip("| ").split(" | ") for row in rows][::2] == [["name", "price"], ["pump", "1.5"]]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_delimiters(to_markdown, delimiter):
    rows = [["id", "名称"], ["1", "one"], ["2", "two"], ["3", "three"]]
    data = "\n".join(delimiter.join(row) for row in rows).encode("utf-8-sig")
    expected = "| id | 名称 |\n| --- | --- |\n| 1 | one |\n| 2 | two |\n| 3 | three |"
    assert to_markdown(data, "a.csv")["text"] == expected


def test_tsv_quotes_and_ragged_rows(to_markdown):
    converted = to_markdown(b'a, x\tb\n"1\n2"\t3\t4\n\n5', "a.tsv")
    assert converted["text"] == "| a, x | b |  |\n| --- | --- | --- |\n| 1 2 | 3 | 4 |\n| 5 |  |  |"


def test_html_with_a_main_element_beside_the_content(to_markdown):
    page = f"<body><div><p>{'Real content. ' * 20}</p></div><main>ad</main></body>"
    assert "Real content" in to_markdown(page.encode(), "a.htm")["text"]


def test_html_nested_deeply(to_markdown):
    page = b"<div>" * 20_000 + b"deep" + b"</div>" * 20_000
    with pytest.warns(UserWarning, match="too deeply nested"):
        assert to_markdown(page, "a.html")["text"] == "deep"


@pytest.mark.parametrize("name", ["a.html", "a.csv", "a.ipynb"])
def test_a_binary_with_the_name_of_text(to_markdown, name):
    with pytest.raises(SourceError, match="not a text file"):
        to_markdown(b"\x00\x01\x02" * 100, name)


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.xlsx", "a.epub", "a.pdf"])
def test_text_with_the_name_of_a_container(to_markdown, name):
    with pytest.raises(SourceError, match="damaged"):
        to_markdown(b"just some words", name)


def test_no_text(to_markdown, make_word):
    with pytest.raises(SourceError, match="has no text"):
        to_markdown(make_word(paragraph("")), "a.docx")


@pytest.mark.skipif(sys.platform == "win32", reason="one system is enough")
def test_nothing_is_fetched(to_markdown, make_word):
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/x.png"
        to_markdown(
            f'<html><link rel="stylesheet" href="{url}"><p>text<img src="{url}" alt="a"></p>'.encode(), "a.html"
        )
        drawing = '<w:p><w:r><w:drawing><wp:inline><a:blip r:link="link0"/></wp:inline></w:drawing></w:r></w:p>'
        assert "text" in to_markdown(make_word(drawing + paragraph("text"), links=(url,)), "a.docx")["text"]
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()


def test_scanned_pdf(make_scan):
    markitdown = build_markitdown()
    converted = convert_bytes(markitdown, make_scan(2), "scan.pdf", 50)
    assert (converted["text"], converted["needs_ocr"]) == ("", [1, 2])
    assert [picture["kind"] for picture in converted["pictures"]] == ["page", "page"]
    with pytest.raises(SourceError, match="is scanned") as caught:
        convert_bytes(markitdown, make_scan(2), "scan.pdf", 50, pictures=False)
    assert caught.value.remedy == NEEDS_OCR


def test_html(to_markdown):
    page = """<html><head><meta charset="gbk"><title>页面 标题</title><script>evil()</script></head><body>
    <nav><a href="/">Home</a></nav><main><h1>Main</h1><p>正文 <a href="#part">part</a>
    <img src="data:image/png;base64,AAAA" alt="a chart"><img src="dot.gif"></p>
    <p>Long enough to be the content of this page.</p></main><div>Sidebar</div><footer>Imprint</footer></body></html>"""
    converted = to_markdown(page.encode("gbk"), "a.html")
    assert converted["title"] == "页面 标题"
    assert converted["text"].startswith("# Main\n\n正文 part")
    for gone in ("Home", "Sidebar", "Imprint", "evil", "base64", "dot.gif"):
        assert gone not in converted["text"]
    assert "a chart" in converted["text"]
