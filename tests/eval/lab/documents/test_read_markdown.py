import pytest

from khub.eval.lab.documents.model import Cell, Heading
from khub.eval.lab.documents.read_markdown import read_markdown, shown
from khub.eval.lab.documents.structure import Grid, Text

pytestmark = pytest.mark.unit


def rows(*texts):
    return Grid(tuple(tuple(map(Cell, row)) for row in texts))


def parts(markdown):
    return list(read_markdown(markdown).parts)


def test_headings_and_paragraphs():
    assert parts("# Title\ntext that\ngoes on\n\n### 1.1 Deep ###\n#no heading") == [
        Heading(1, "Title"),
        Text("text that goes on"),
        Heading(3, "1.1 Deep"),
        Text("#no heading"),
    ]


def test_a_pipe_table():
    assert parts("before\n| a | b \\| c |\n| --- | ---: |\n| 1 |  |\n| **x** | y<br>z | too many |\n\nafter") == [
        Text("before"),
        rows(("a", "b | c"), ("1", ""), ("x", "y z")),
        Text("after"),
    ]


def test_a_table_without_a_head():
    assert parts("|  |  |\n| --- | --- |\n| 1 | 2 |") == [rows(("1", "2"))]


def test_pipes_without_a_delimiter_row_are_text():
    assert parts("a | b\nc | d") == [Text("a | b c | d")]


def test_an_html_table_with_merged_cells():
    html = '<table><thead>\n<tr><th rowspan="2">Site</th><th colspan="2">2023 &amp; on</th></tr>\n'
    html += "<tr><td>a<br>b</td><td><b>c</b></td></tr></thead></table>\nafter"
    assert parts(html) == [
        Grid(((Cell("Site", 1, 2), Cell("2023 & on", 2)), (Cell("a b"), Cell("c")))),
        Text("after"),
    ]


def test_code_is_taken_as_it_is():
    assert parts("```sh\n# no *heading*\n| a |\n|---|\n```\n# Heading") == [
        Text("# no *heading* | a | |---|"),
        Heading(1, "Heading"),
    ]


def test_signs_of_lists_quotes_and_notes():
    assert parts("- one\n  - two\n1. three\n\n> said\n> again\n\n[^2]: A note.") == [
        Text("one two 1. three"),
        Text("said again"),
        Text("A note."),
    ]


def test_a_dash_inside_a_line_stays():
    assert shown("revenue - cost * 2") == "revenue - cost * 2"
    assert parts("revenue - cost") == [Text("revenue - cost")]


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("see [the form](https://example.com/a_b) now", "see the form now"),
        ("**bold.** and *italic*, __init__ stays", "bold. and italic, __init__ stays"),
        ("fact[^3] and `code`", "fact3 and code"),
        ("2 \\* 3 \\_x\\_ &lt;b&gt;", "2 * 3 _x_ <b>"),
        ("x<sup>2</sup> first, *rest = readings", "x2 first, *rest = readings"),
        ("增长 39 人，共 1.5%  的", "增长39人,共1.5%的"),
        ("ﬁle re\u00adport", "file report"),
    ],
)
def test_inline_signs_are_taken_off(markdown, text):
    assert shown(markdown) == text


def test_pictures_are_left_out():
    assert parts("a\n\n[IMAGE: doc_1_2]\n\n![alt](x.png) b") == [Text("a"), Text("b")]
