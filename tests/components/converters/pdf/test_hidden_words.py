"""Words that nobody sees on a page are left out and counted; what lies on a dark ground or a scan stays."""

import pytest

pytestmark = pytest.mark.unit

SEEN = "The valve opens at four bar."


@pytest.fixture
def page(new_page):
    return new_page().text(72, 700, SEEN)


@pytest.mark.parametrize(
    "hide",
    [
        lambda page: page.draw("1 g").text(72, 600, "secret order", 12).draw("0 g"),
        lambda page: page.draw("0.995 0.99 1 rg").text(72, 600, "secret order").draw("0 g"),
        lambda page: page.draw("1 g 60 590 200 30 re f").text(72, 600, "secret order"),
        lambda page: page.draw("3 Tr").text(72, 600, "secret order").draw("0 Tr"),
        lambda page: page.text(-300, 600, "secret order"),
        lambda page: page.text(700, 600, "secret order"),
        lambda page: page.text(72, 850, "secret order"),
        lambda page: page.text(72, 600, "secret order", 0.5),
    ],
    ids=["white", "nearly white", "white on a white box", "no ink", "left", "right", "above", "tiny"],
)
def test_what_nobody_sees_is_left_out_and_told(page, read, hide):
    text = read([hide(page)])
    assert SEEN in text.pages[0]
    assert "secret" not in text.pages[0]
    assert text.removed["hidden words"] == 2


@pytest.mark.parametrize(
    "show",
    [
        lambda page: page.draw("0 0 0.5 rg 60 590 300 30 re f 1 g").text(72, 600, "plain to see"),
        lambda page: page.draw("0 0 0.5 rg 60 605 m 60 640 360 640 360 605 c h f 1 g").text(150, 615, "plain to see"),
        lambda page: page.draw("2 Tr 1 g 0 G").text(72, 600, "plain to see").draw("0 Tr"),
        lambda page: page.text(590, 600, "plain-to-see"),
        lambda page: page.text(72, 600, "plain to see", 4),
    ],
    ids=["on a dark box", "on a dark shape", "white with an outline", "cut by the edge", "small print"],
)
def test_what_can_be_seen_stays(page, read, show):
    text = read([show(page)])
    assert "plain to see" in text.pages[0].replace("-", " ")
    assert not text.removed


def test_the_text_layer_of_a_scan_is_no_hidden_text(new_page, read):
    page = new_page().image((0, 0, 612, 792), 2, 2, bytes([250] * 12)).draw("3 Tr")
    for row in range(6):
        page.text(72, 700 - 20 * row, f"Row {row} of this page was read from the picture")
    text = read([page])
    assert "Row 5 of this page" in text.pages[0]
    assert not text.removed
