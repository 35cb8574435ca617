"""The words in a drawing belong to its picture; whole sentences in one are text."""

import pytest

from khub.components.converters.pdf.layout import Figure

pytestmark = pytest.mark.unit

CHART = Figure((100.0, 300.0, 400.0, 500.0), "drawing")


def ticks(seg):
    below = [seg(110 + 60 * step, 490, str(5 * step), 8) for step in range(5)]
    return [*below, seg(300, 340, "k1 = 2.0", 8), seg(300, 360, "k1 = 1.2", 8)]


def test_labels_are_the_words_of_a_picture(lay_out, prose, seg):
    side = seg(105, 350, "Weight", 8, angle=90)
    text = lay_out([*prose(72, 100), *ticks(seg), side, *prose(72, 560)], figures=[CHART])
    (block,) = [block for block in text.blocks if "k1 = 2.0" in block.text]
    assert block.text.startswith("> Text in the image: ")
    assert all(label in block.text for label in ("k1 = 1.2", "20", "Weight"))
    assert sum("Weight" in block.text for block in text.blocks) == 1


def test_chinese_labels_say_so_in_chinese(lay_out, prose, seg):
    labels = [seg(300, 340, "销售收入", 8), seg(300, 380, "二零二五年", 8)]
    text = lay_out([*prose(72, 100), *labels], figures=[CHART])
    assert "> 图中文字：销售收入；二零二五年" in text.pages[0]


def test_sentences_in_a_box_stay_text(lay_out, prose, seg):
    inside = prose(120, 330, 5, 260, start="Inside")
    text = lay_out([*prose(72, 100), *inside], figures=[CHART])
    (block,) = [block for block in text.blocks if "Inside" in block.text]
    assert not block.text.startswith(">")
