import pytest

from server.text_canvas import TextCanvas, wrap

pytestmark = pytest.mark.unit


def test_lines_of_one_owner_join():
    canvas = TextCanvas()
    canvas.horizontal("a", 1, 0, 4)
    canvas.vertical("a", 2, 0, 2)
    canvas.vertical("a", 4, 1, 2)
    assert canvas.lines() == ["  │", "──┼─┐", "  │ │"]


def test_lines_of_different_owners_cross():
    canvas = TextCanvas()
    canvas.horizontal("a", 1, 0, 4)
    canvas.vertical("b", 2, 0, 2)
    assert canvas.lines() == ["  │", "──│──", "  │"]


def test_texts_hide_lines_and_wide_characters_take_two_cells():
    canvas = TextCanvas()
    canvas.horizontal("a", 0, 0, 5)
    canvas.write(0, 1, "中a")
    assert canvas.lines() == ["─中a──"]
    assert TextCanvas().lines() == []


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("one two three", 7, ["one two", "three"]),
        ("中文 说明很长", 8, ["中文", "说明很长"]),
        ("说明很长", 5, ["说明", "很长"]),
        ("abcdefgh ij", 5, ["abcde", "fgh", "ij"]),
        ("", 5, []),
    ],
)
def test_wrap(text, width, lines):
    assert wrap(text, width) == lines


def test_a_name_that_is_too_long_is_broken_before_a_capital():
    assert wrap("Guard (LateInteractionRanker)", 12) == ["Guard", "(Late", "Interaction", "Ranker)"]
    assert wrap("(LateInteractionRanker)", 17) == ["(LateInteraction", "Ranker)"]
    assert wrap("Unbreakablename", 6) == ["Unbrea", "kablen", "ame"]
