"""Markdown of others is drawn as it looks, and nothing of it is live."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from khub.components.text.inert_markdown import InertMarkdown, inert

pytestmark = pytest.mark.unit
FROM = "http://tracker.example/a.png"
PARSERS = (MarkdownIt("commonmark"), MarkdownIt("commonmark").enable(["table", "strikethrough"]))
LIVE = ("image", "link_open", "html_inline", "html_block")
PICTURE = f"![seen]({FROM})"
HOSTILE = [
    PICTURE,
    f"\\\\{PICTURE}",
    f"![a [b] c]({FROM})",
    f"![seen][at]\n\n[at]: {FROM}",
    f"[click]({FROM})",
    f"<img src={FROM}>",
    f"<{FROM}>",
    f"> ```\n> code\n{PICTURE}",
    f"- ```\n  code\n  ```\n\n{PICTURE}\n\n  ```",
    f"a ` b\n` {PICTURE} `",
    f"| a | b |\n|---|---|\n| ` {PICTURE} | ` |",
    f"| a | b |\n|---|---|\n| `a | `b` {PICTURE} ` |",
    f"```{PICTURE}| b |\n|---|---|\n",
    f"> ```\n>\t```\n> {PICTURE}",
    f"a\r```\r{PICTURE}\r```\r{PICTURE}",
    f"` {PICTURE}",
]
PIECES = [
    *(
        PICTURE,
        f"[a]({FROM})",
        f"<img src={FROM}>",
        "![`](u)",
        f"[r]: {FROM}\n",
        "[r]",
        "`",
        "``",
        "```",
        "~~~",
        "```x",
    ),
    *("\n", "\n\n", "\r", "> ", ">", "- ", "1. ", " ", "   ", "    ", "\t", "\\", "|", "| a | b |\n|---|---|\n", "a"),
]
texts = st.lists(st.sampled_from(PIECES), min_size=1, max_size=14).map("".join)


def live(text):
    tokens = [token for parser in PARSERS for token in parser.parse(text)]
    return [one.type for token in tokens for one in (token, *(token.children or ())) if one.type in LIVE]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_picture_link_or_tag_is_left(text):
    assert live(text)
    assert not live(inert(text))


@given(texts)
def test_nothing_made_of_such_pieces_is_live(text):
    assert not live(inert(text))


@given(texts)
def test_inert_text_stays_as_it_is(text):
    assert inert(inert(text)) == inert(text)


@given(st.lists(texts, max_size=6))
def test_pieces_give_what_the_whole_gives(pieces):
    text = InertMarkdown()
    assert "".join(text.add(piece) for piece in pieces) + text.end() == inert("".join(pieces))


@pytest.mark.parametrize(
    "text",
    [
        "# Title\n\n- one\n- **two**\n\n| a | b |\n| --- | --- |\n| 1 | \\* |\n\nSee http://example.com [1], [2].",
        "> Use `vec![1](x)` and `List<int>`; 3 < 4.\n>\n> ```cpp\n> vector<int> a[i](x);\n> ```",
        "```html\n<img src=x>\n```\n\n~~~\n![a](b)\n~~~",
        "多好！[1] 见 `![图](x.png)`。",
    ],
)
def test_form_code_and_marks_stay(text):
    assert inert(text) == text


def test_words_come_as_soon_as_they_are_clear():
    text = InertMarkdown()
    assert text.add("The budget ") == "The budget "
    assert text.add("is 55!") == "is 55"
    assert text.add("[z](u) `a<b") == "\\![z]\\(u) "
    assert text.add("` c") == "`a<b` c"


def test_what_is_drawn_reads_as_it_was_written():
    drawn = MarkdownIt("commonmark").render(inert(f"a {PICTURE} <b> [c](d)"))
    assert re.sub("<.*?>", "", drawn).strip() == f"a {PICTURE} &lt;b&gt; [c](d)"
