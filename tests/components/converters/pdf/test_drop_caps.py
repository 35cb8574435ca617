"""A drop cap is the first letter of its word, and the lines beside it are the beginning of its paragraph."""

import pytest

pytestmark = pytest.mark.unit

LINES = [
    "opened a plant in Oslo and closed one in Leeds during the year, and",
    "moved the stock of spare parts to a new hall. Sales grew by 7 percent in",
    "the north and fell by 2 percent in the south. We thank all of our staff",
    "for their patience. The board met eleven times. Next year brings a new line",
]


@pytest.mark.parametrize(
    ("cap", "rest", "size", "beside"),
    [("W", "e ", 40, 3), ("T", "hey ", 27, 2), ("“W", "e ", 40, 3), ("I", "t ", 40, 3)],
)
def test_a_drop_cap_is_joined_to_its_word(new_page, read, cap, rest, size, beside):
    width = size * sum({"W": 0.96, "T": 0.63, "I": 0.3, "“": 0.36}[letter] for letter in cap)
    page = new_page().text(72, 740, "Letter to owners", 16)
    page.text(72, 706 - 13 * (beside - 1), cap.replace("“", '"'), size)
    for row, line in enumerate(LINES):
        page.text(72 + width if row < beside else 72, 706 - 13 * row, (rest if not row else "") + line, 11)
    blocks = [block.text for block in read([page]).blocks]
    said = " ".join(f"{cap.replace('“', chr(34))}{rest}{' '.join(LINES)}".split())
    assert [" ".join(block.split()) for block in blocks] == ["# Letter to owners", said]


def test_a_word_of_one_letter_stays_a_word(lay_out, seg):
    page = [seg(72, 126, "A", 40), seg(100, 102, "plant was opened in the north of Oslo by all of us and")]
    page += [seg(100, 114, "by the board of the company in spring this year"), seg(72, 138, "Another plant is closed.")]
    assert lay_out(page).pages[0].startswith("A plant was opened")


def test_a_chinese_drop_cap(lay_out, seg):
    page = [seg(72, 126, "本", 36), seg(110, 104, "公司于二零二五年在奥斯陆开设了一家新工厂并且关闭了另外一家")]
    page += [seg(110, 120, "同时把备件库存搬到了新的仓库里面，销售额增长了百分之七。")]
    assert lay_out(page).pages[0].startswith("本公司于二零二五年")


def test_a_large_letter_with_one_line_beside_it_is_none(lay_out, prose, seg):
    page = [seg(72, 60, "A", 30), seg(100, 60, "Annex on the plants"), *prose(72, 120)]
    assert "AAnnex" not in lay_out(page).pages[0]
