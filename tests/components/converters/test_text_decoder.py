import random

import pytest

from components.converters.text_decoder import NotTextError, decode_text

pytestmark = pytest.mark.unit

CHINESE = "知识库是一个用来存放和检索文档的系统。\n我们希望它能够快速、准确地回答问题。\n" * 5
JAPANESE = "これは日本語の文章です。データベースの索引を維持するには費用がかかります。\n" * 5
RUSSIAN = "Это русский текст. Поддержание индекса базы данных требует затрат.\n" * 20
FRENCH = "Ceci est un texte français, où l'été est arrivé à Besançon."
GERMAN = "Größe und Übermaß: die Straße führt über die Brücke."


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "gbk", "gb18030"])
def test_chinese(encoding):
    assert decode_text(CHINESE.encode(encoding)) == CHINESE


def test_byte_order_marks_of_the_other_end():
    assert decode_text(b"\xfe\xff" + CHINESE.encode("utf-16-be")) == CHINESE
    assert decode_text(b"\x00\x00\xfe\xff" + CHINESE.encode("utf-32-be")) == CHINESE


@pytest.mark.parametrize(
    ("text", "encoding"),
    [(JAPANESE, "shift_jis"), (JAPANESE, "euc_jp"), (RUSSIAN, "cp1251"), (FRENCH, "cp1252"), (GERMAN, "latin-1")],
)
def test_guessed_encodings(text, encoding):
    assert decode_text(text.encode(encoding)) == text


def test_a_long_ascii_opening_does_not_mislead_the_guess():
    text = "plain line\n" * 20_000 + CHINESE
    assert decode_text(text.encode("gbk")) == text


def test_declared_encoding_wins_over_the_guess():
    text = '<?xml version="1.0" encoding="KOI8-R"?>\n<a>Поле</a>'
    assert decode_text(text.encode("koi8-r")) == text


def test_a_declaration_that_does_not_fit_is_ignored():
    text = "# -*- coding: ascii -*-\n" + CHINESE
    assert decode_text(text.encode("gbk")) == text


def test_a_few_broken_bytes_in_utf8():
    data = CHINESE.encode() + b"\xff" + CHINESE.encode()
    assert decode_text(data) == CHINESE + "\ufffd" + CHINESE


def test_line_ends():
    assert decode_text(b"a\r\nb\rc\nd") == "a\nb\nc\nd"


@pytest.mark.parametrize(
    "data",
    [
        b"text with a \x00 byte",
        bytes(range(1, 32)) * 10,
        random.Random(1).randbytes(5000),
        b"\xff\xfe" + b"\x00\x00" * 10,
        b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\n%%EOF\n",
    ],
)
def test_binaries_are_refused(data):
    with pytest.raises(NotTextError):
        decode_text(data)


def test_no_guess_without_leave():
    with pytest.raises(NotTextError):
        decode_text(CHINESE.encode("gbk"), guess=False)
    assert decode_text(CHINESE.encode(), guess=False) == CHINESE


def test_colour_codes_of_a_log_are_text():
    line = "\x1b[32mINFO\x1b[0m started\n" * 10
    assert decode_text(line.encode()) == line
