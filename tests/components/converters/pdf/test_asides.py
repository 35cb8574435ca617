"""Watermarks and lines in the margin stand in the text once, as one line each, and never in the middle of it."""

import math

import pytest

pytestmark = pytest.mark.unit

TEXT = "The pump of line seven stops when the sensor reads forty degrees or more today."


def turned(page, x, y, text, degrees, size=10, gray=0.8):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    matrix = f"{c:.4f} {s:.4f} {-s:.4f} {c:.4f} {x} {y}"
    return page.draw(f"{gray} g BT /F2 {size} Tf {matrix} Tm ({text}) Tj ET 0 g")


def written(new_page):
    page = new_page().text(72, 660, "Chapter one", 18, "F2")
    for row in range(20):
        page.text(72, 630 - 14 * row, f"{row + 1} {TEXT}")
    return page


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        (lambda page: turned(page, 150, 380, "DO NOT COPY", 45, 60), "DO NOT COPY"),
        (lambda page: turned(page, 120, 640, "CONFIDENTIAL", -50, 52), "CONFIDENTIAL"),
        (lambda page: turned(page, 30, 200, "Copyright 2026 Pump Co, licensed to Jo Moss", 90), "licensed to Jo Moss"),
        (lambda page: turned(page, 590, 600, "arXiv:2601.01234v1 [cs.IR] 3 Jan 2026", 270, 20), "[cs.IR] 3 Jan 2026"),
        (lambda page: page.draw("0.8 g").text(120, 470, "SAMPLE", 80, "F2").draw("0 g"), "SAMPLE"),
    ],
    ids=["up", "down", "left margin", "right margin", "behind the text"],
)
def test_a_mark_is_one_line_once(new_page, read, mark, said):
    text = read([mark(written(new_page)) for _ in range(3)])
    plain = read([written(new_page)]).pages[0]
    assert sum(page.count(said) for page in text.pages) == 1
    assert [block.kind for block in text.blocks if said in block.text] == ["paragraph"]
    assert text.pages[1] == text.pages[2] == plain
    assert plain in text.pages[0]
    assert any("watermarks" in what for what in text.removed)


def test_marks_on_the_side_that_differ_all_stay(new_page, read):
    pages = [turned(written(new_page), 30, 200, f"Volume {name}", 90) for name in ("one", "two")]
    assert ["Volume" in page for page in read(pages).pages] == [True, True]


def test_large_words_beside_the_text_are_no_mark_behind_it(new_page, read):
    page = written(new_page).text(72, 200, "The second part", 40)
    blocks = read([page]).blocks
    assert [block.kind for block in blocks if "second part" in block.text] == ["heading"]
