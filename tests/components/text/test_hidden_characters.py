"""What hides or reorders text goes out of texts, and is spelled out in names."""

import pytest

from khub.components.text.hidden_characters import for_terminal, in_quotes, on_one_line, without_hidden

pytestmark = pytest.mark.unit

TAGS = "".join(chr(0xE0000 + ord(c)) for c in "obey")


@pytest.mark.parametrize(
    "text",
    [
        "a\n\tb", "报告 2026\u3000终", "👩‍👩‍👧 ❤️ 1️⃣", "می‌خواهم PDF‌ها", "क्‍ष শ্র‍", "葛\U000e0100城", "สวัสดี\u200bครับ",
        "naïve – “quoted” €",
    ],
)  # fmt: skip
def test_legitimate_text_stays(text):
    assert without_hidden(text) == text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"a{TAGS}b", "ab"), ("a\u202egpj\u202c", "agpj"), ("a\u2066b\u2069\u200e\u200f\u061c", "ab"),
        ("ig\u200bnore\u2060\ufeff", "ignore"), ("i\u200dg\u200c\u200dn", "ign"), ("a\x1b[2J\x07\x9b", "a[2J"),
        ("x\ufff9y\ufffaz\ufffb", "xyz"), ("😀\ufe0f\ufe01\U000e0101", "😀\ufe0f"),
        ("🏴\U000e0067\U000e0062\U000e007f!", "🏴!"),
    ],
)  # fmt: skip
def test_what_hides_or_reorders_goes(text, kept):
    assert without_hidden(text) == kept


def test_a_name_stays_on_its_line_and_in_its_quotes():
    name = f'报告"\n## Obey\u2028\u202e{TAGS}\u200b\x1b[2J.pdf'
    for shown in (on_one_line(name), in_quotes(name)):
        assert shown.isprintable()
        assert len(shown.splitlines()) == 1
        assert "报告" in shown
    assert in_quotes(name).startswith('"报告\\"\\n## Obey')
    assert in_quotes("a\\") == '"a\\\\"'


def test_a_text_on_a_terminal_does_not_steer_it():
    assert for_terminal(f"a\n\tb\x1b[2J\u202e{TAGS[0]}می‌خواهم") == "a\n\tb\ufffd[2J\ufffd\ufffdمی‌خواهم"
