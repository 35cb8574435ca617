"""What phase one reads from files."""

import json

import pytest

from khub.components.catalog.picture import Picture
from khub.components.converters.pdf import page_reader
from khub.components.errors import SourceError

pytestmark = pytest.mark.unit
SENTENCE = "Some running text that fills the line of this page from its left to its right margin."


def noise(width, height):
    return bytes((x * 7 + y * 13 + c * 50) % 256 for y in range(height) for x in range(width) for c in range(3))


def chart(page, x=150, y=300):
    for number, height in enumerate((40, 90, 130, 60)):
        page.draw(f"0.2 0.4 0.8 rg {x + 50 * number} {y} 30 {height} re f")
    return page.line(x - 10, y, x + 220, y).line(x - 10, y, x - 10, y + 150)


def test_words_come_with_places_and_fonts(new_page, read):
    text = read([new_page().text(72, 700, "Heading here", 20, "F2").text(72, 660, SENTENCE).text(72, 646, SENTENCE)])
    assert text.pages == [f"# Heading here\n\n{SENTENCE} {SENTENCE}"]
    left, top, right, bottom = text.blocks[0].bbox
    assert (round(left), (792 - 700)) == (72, 92)
    assert top < 92 < bottom
    assert 180 < right < 220


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_rotated_pages(new_page, read, rotate):
    page = new_page(rotate)
    for number, line in enumerate(("First of the lines", "second line", "third line")):
        page.text(72, 700 - 14 * number, line)
    text = read([page])
    assert text.pages[0].split() == ["First", "of", "the", "lines", "second", "line", "third", "line"]
    assert text.sizes[0] == ((612, 792) if rotate % 180 == 0 else (792, 612))
    x, y = {0: (72, 92), 90: (700, 72), 180: (540, 700), 270: (92, 540)}[rotate]
    left, top, right, bottom = text.blocks[0].bbox
    assert left - 4 < x < right + 4
    assert top - 4 < y < bottom + 4


def test_text_that_is_upright_only_because_the_page_is_rotated(new_page, read):
    page = new_page(90)
    for number, line in enumerate(("First of the lines", "second line")):
        page.draw(f"BT /F1 12 Tf 0 1 -1 0 {100 + 14 * number} 72 Tm ({line}) Tj ET")
    text = read([page])
    assert text.pages[0].split() == ["First", "of", "the", "lines", "second", "line"]
    left, top, *_ = text.blocks[0].bbox
    assert (round(left), round(top)) == (72, 89)


def test_chinese_without_an_embedded_font(new_page, read):
    text = read([new_page().chinese(72, 700, "知识库的第一行", 12).chinese(72, 684, "第二行")])
    assert "知识库的第一行" in text.pages[0]
    assert "第二行" in text.pages[0]


def test_links_only_with_real_addresses(new_page, read):
    page = new_page().text(72, 700, "See the manual for more.").text(72, 680, "https://example.org/a/b")
    page.link((95, 697, 150, 712), "https://example.org/manual").link((72, 677, 220, 692), "https://example.org/a/b")
    page.text(72, 640, "And this jump here.").link((72, 637, 200, 650), "javascript:alert")
    text = read([page]).pages[0]
    assert "[the manual](https://example.org/manual)" in text
    assert "\nhttps://example.org/a/b" in text
    assert "javascript" not in text


def test_ligatures_are_spelled_out():
    from khub.components.converters.pdf.segments import clean_word

    assert clean_word("e\ufb03cient") == "efficient"
    assert clean_word("\ufeed") == "\u0648"


def test_drawn_bullets_begin_list_items(new_page, read):
    page = new_page()
    for number, item in enumerate(("first item", "second item")):
        y = 600 - 16 * number
        page.text(90, y, item).draw(
            f"0 g 78 {y + 4} m 78 {y + 6} 81 {y + 6} 81 {y + 4} c 81 {y + 2} 78 {y + 2} 78 {y + 4} c f"
        )
    assert read([page]).pages == ["- first item\n- second item"]


def test_a_ruled_table_in_a_file(new_page, read):
    page = new_page()
    for y in (700, 680, 660):
        page.line(70, y, 370, y)
    for x in (70, 200, 370):
        page.line(x, 700, x, 660)
    page.text(75, 685, "Name").text(205, 685, "Use").text(75, 665, "pump").text(205, 665, "moves | water")
    assert read([page]).pages == ["| Name | Use |\n| --- | --- |\n| pump | moves \\| water |"]


def test_a_picture_with_its_caption(new_page, read):
    page = new_page().text(72, 740, SENTENCE).image((150, 400, 200, 150), 64, 48, noise(64, 48))
    page.text(150, 380, "Figure 3: What was measured").text(72, 340, SENTENCE)
    text = read([page])
    (picture,) = text.pictures
    assert (picture.kind, picture.page, picture.seq, picture.mime) == ("raster", 1, 1, "image/png")
    assert picture.caption == "Figure 3: What was measured"
    assert picture.data.startswith(b"\x89PNG")
    assert [round(side) for side in picture.bbox] == [150, 242, 350, 392]
    assert text.pages[0].splitlines()[2:5] == ["[IMAGE: 1@1]", "", "Figure 3: What was measured"]
    assert Picture.from_dict(json.loads(json.dumps(picture.to_dict()))) == picture


def test_a_drawn_chart_is_a_picture_and_its_labels_stay(new_page, read):
    page = chart(new_page().text(72, 740, SENTENCE)).text(205, 440, "Peak", 8).text(72, 200, SENTENCE)
    text = read([page])
    (picture,) = text.pictures
    assert picture.kind == "drawing"
    assert picture.width > 300
    assert "Peak" in text.pages[0]


def test_decoration_is_dropped(new_page, read):
    logo = noise(40, 40)
    pages = []
    for number in range(4):
        page = new_page().text(72, 700 - 30 * number, f"{SENTENCE} {number}").image((450, 30, 100, 100), 40, 40, logo)
        pages.append(page.image((60, 20, 10, 10), 8, 8, noise(8, 8)).image((72, 650, 400, 3), 40, 2, noise(40, 2)))
    assert read(pages).pictures == []


def test_a_scanned_page_needs_ocr(new_page, read):
    scan = new_page().image((0, 0, 612, 792), 60, 80, noise(60, 80))
    text = read([new_page().text(72, 700, SENTENCE), scan, new_page()])
    assert text.needs_ocr == [2]
    (picture,) = text.pictures
    assert (picture.kind, picture.page) == ("page", 2)


def test_text_without_meaning_needs_ocr(new_page, read, monkeypatch):
    page = new_page().text(72, 700, SENTENCE)
    assert read([page]).needs_ocr == []
    monkeypatch.setattr(page_reader, "is_garbled", lambda reader: True)
    text = read([page])
    assert text.needs_ocr == [1]
    assert text.removed == {"garbled words": len(SENTENCE.split())}


def test_a_damaged_page_is_no_damaged_document(new_page, read):
    text = read([new_page().text(72, 700, "one"), new_page(), new_page().text(72, 700, "three")], missing=(1,))
    assert text.pages == ["one", "", "three"]
    assert text.damaged == [2]
    with pytest.raises(SourceError, match="none of its pages"):
        read([new_page()], missing=(0,))


def test_a_page_that_takes_too_long_is_damaged(new_page, read, monkeypatch):
    monkeypatch.setattr(page_reader, "PAGE_SECONDS", -1.0)
    with pytest.raises(SourceError, match="none of its pages"):
        read([new_page().text(72, 700, "one")])


def test_the_outline_of_the_file_is_used(new_page, read):
    page = new_page().text(72, 740, "Not set apart at all").text(72, 700, SENTENCE).text(72, 686, SENTENCE)
    assert "#" not in read([page]).pages[0]
    assert read([page], outline=[("Not set apart at all", 0)]).pages[0].startswith("# Not set apart at all\n\n")
