"""Text of documents keeps its form, and does nothing else."""

import pytest
from markdown_it import MarkdownIt

from khub.dashboard.parts.document_html import document_line
from khub.dashboard.parts.document_text import escaped

pytestmark = pytest.mark.unit
FROM = "https://tracker.example/a.png"
DEFINED = f"\n\n[seen]: {FROM} 'x'"
ACTIVE = ("image", "link_open", "html_inline", "html_block")


def parsed(text):
    tokens = MarkdownIt().parse(text)
    return [*tokens, *(child for token in tokens for child in token.children or ())]


@pytest.mark.parametrize(
    "text",
    [
        f"![seen]({FROM})",
        f"\\![seen]({FROM})",
        f"![seen][]{DEFINED}",
        f"\\![a][seen]{DEFINED}",
        f"\\\\\\![a][seen]{DEFINED}",
        f"[click]({FROM})",
        f"[click][seen]{DEFINED}",
        f"> [seen]{DEFINED}",
        f"- [seen]\n\n  [seen]:\n  {FROM}",
        f"<img src={FROM}>",
        f"\\<img src={FROM}>",
        f"\\<{FROM}>",
    ],
)
def test_nothing_is_loaded_and_nothing_leads_elsewhere(text):
    assert any(token.type in ACTIVE for token in parsed(text)) or text.startswith("\\")
    assert not [token.type for token in parsed(escaped(text)) if token.type in ACTIVE]


def test_no_formula_and_no_directive_begins():
    for text in ("$5 and $6", "\\$x\\$", ":red[hub]", "\\:red[hub]", ":wave:", ":material/home:"):
        shown = escaped(text)
        signs = [place for place, sign in enumerate(shown) if sign == "$"]
        assert all((len(shown[:place]) - len(shown[:place].rstrip("\\"))) % 2 for place in signs)
        assert not any(f":{name}" in shown for name in ("red[", "wave:", "material/"))


def test_form_stays():
    text = "# Title\n\n- one\n- **two** `code`\n\n| a | b |\n| --- | --- |\n| 1 | \\* |"
    assert escaped(text) == text


@pytest.mark.parametrize(
    ("piece", "words"),
    [
        ("## Budgets A budget", "Budgets A budget"),
        ("### Notes\n\n**好的回答**：先拿", "Notes 好的回答：先拿"),
        ("| term | unit | | --- | --- | | rank | |", "term unit rank"),
        ("See [IMAGE: 55a1_0_2] Figure 1", "See Figure 1"),
        ("See [IMAGE: 55a1", "See"),
        ("C# has a_b, 3 - 2 and 5*4", "C# has a_b, 3 - 2 and 5*4"),
    ],
)
def test_a_piece_of_a_passage_is_words_alone(piece, words):
    assert document_line(piece) == words
