"""Text of others, where Markdown is read."""

import pytest

from khub.dashboard.plain_text import plain, shortened

PICTURE = "![seen](https://tracker.example/a.png)"


@pytest.mark.unit
@pytest.mark.parametrize("text", [PICTURE, "**bold** `code`", ":red[hub]", "<b>x</b>", "$x$", "# head", "[a](b)"])
def test_no_mark_of_markdown_is_left(text):
    shown = plain(text)
    assert shown.replace("\\", "") == text
    assert not any(shown[place - 1] != "\\" for place, character in enumerate(shown) if character in "![]()*`<>$#:")


@pytest.mark.unit
def test_no_sign_is_named_for_which_a_font_would_be_fetched():
    assert ":material/home:" not in plain("see :material/home:").replace("\\", "")


@pytest.mark.unit
def test_text_is_on_one_line_and_in_its_own_order():
    assert plain("a\n\nb\u202ec") == "a b\ufffdc"


@pytest.mark.unit
def test_a_beginning_ends_with_a_word():
    assert shortened("Herons eat fish and frogs", 22) == "Herons eat fish and…"
    assert shortened("Herons eat fish", 15) == "Herons eat fish"
    assert shortened("苍鹭在浅水中缓步行走", 6) == "苍鹭在浅水中…"
