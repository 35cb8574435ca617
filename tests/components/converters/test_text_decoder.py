import random

import pytest

from khub.components.converters.text_decoder import NotTextError, decode_text, decoded

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
        b"\x00\x01\x02",
        b"\x00\x01",
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


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("\x1b[31mERROR\x1b[0m pump \x1b[1;38;5;9mstopped\x1b[m\n", "ERROR pump stopped\n"),
        ("\x1b]0;title\x07done\x1b[K\n", "done\n"),
        ("\x1b]8;;https://a.org\x1b\\link\x1b]8;;\x1b\\\n", "link\n"),
        ("\x1b(Bplain\x1b[?25l\n", "plain\n"),
        ("N\bNA\bAME _\bfile\n", "NAME file\n"),
        ("a [31m] and [0m] of no terminal\n", "a [31m] and [0m] of no terminal\n"),
    ],
)
def test_codes_for_a_terminal_go(written, shown):
    assert decode_text(written.encode()) == shown


LITTLE_CHINESE = [
    "日期,温度,压力\n" + "".join(f"2026-03-{day:02},{day},{day * 7}\n" for day in range(1, 28)),
    "编号,名称,价格\n001,水泵 Ａ型,1200\n002,阀门,85.50\n",
    "[服务器]\nport=8080\n; 端口\n",
    "2026-03-04 12:00:01 INFO 启动成功\n2026-03-04 12:00:02 WARN 磁盘不足\n",
    "-- 用户表\nCREATE TABLE u (id INT COMMENT '编号', name VARCHAR(20) COMMENT '姓名');\n",
    "plain line\n" * 1500 + "结束\n",
    "系统",
]


@pytest.mark.parametrize("text", LITTLE_CHINESE)
def test_a_little_chinese(text):
    found = decoded(text.encode("gbk"))
    assert found.text == text
    assert found.guessed == "gb18030"
    assert decoded(text.encode()).guessed is None


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("번호,이름,가격\n1,펌프,1200\n2,밸브,85\n", "cp949"),
        ("펌프 점검 일정을 확인하십시오.", "euc_kr"),
        ("編號,名稱,價格\n1,水泵,1200\n", "big5"),
        ("ポンプの点検を行う。", "cp932"),
        ("ポンプの点検を行う。", "euc_jp"),
        ("ポンプの点検を行う。", "iso2022_jp"),
        ("Насос, цена, количество\nИтого 5 штук\n", "koi8-r"),
        ("Pumpe, Größe, Maß", "cp1252"),
        ("25 °C, 5 µm", "cp1252"),
    ],
)
def test_a_little_of_other_languages(text, encoding):
    assert decode_text(text.encode(encoding)) == text


@pytest.mark.parametrize("text", ["½ ²³ ± 25 °C", "créé à l'été", "Привет, мир", "שלום", "α und β"])
def test_short_utf8_stays(text):
    assert decode_text(text.encode()) == text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("水泵的额定流量。".encode() + b"\xff" + "阀门开启。".encode(), "水泵的额定流量。\ufffd阀门开启。"),
        ("id,名称\n1,水泵\n2,".encode() + b"\xff\xfe bad\n", "id,名称\n1,水泵\n2,\ufffd\ufffd bad\n"),
        ("The pump’s flow — see §4. ".encode() * 9 + b"\x96", "The pump’s flow — see §4. " * 9 + "\ufffd"),
        ("水泵的额定流量".encode()[:-1], "水泵的额定流\ufffd"),
        ("Flow: 5 m³/h, pump “A”".encode()[:-2], "Flow: 5 m³/h, pump “A\ufffd"),
    ],
)
def test_utf8_with_a_stray_or_a_cut_byte(data, text):
    found = decoded(data)
    assert found.text == text
    assert found.broken == text.count("\ufffd")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", ["Error log\nline 2\n", "日志：水泵故障\n启动 12:00\n", "Ошибка 5\nКонец\n"])
def test_utf16_without_a_mark(text, encoding):
    assert decoded(text.encode(encoding)).guessed == encoding
    assert decode_text(text.encode(encoding)) == text


def test_a_label_of_a_file_means_what_is_written_under_it():
    text = '<meta charset="iso-8859-1">“5 €”'
    assert decoded(text.encode("cp1252")).text == text
    assert decoded(text.encode("cp1252")).guessed is None
