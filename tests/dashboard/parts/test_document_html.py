"""Text of documents as HTML in which nothing is live."""

import pytest

from khub.dashboard.parts.document_html import document_html

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("code", ["E-4012", "LR-M-300-EN", "GB-2312"])
def test_a_code_breaks_nowhere(code):
    assert f'<span class="code">{code}</span>' in document_html(f"See {code} of the list.")
    assert f'<span class="code">{code}</span>' in document_html(f"| Code | What |\n| --- | --- |\n| {code} | stop |\n")


@pytest.mark.parametrize("words", ["state-of-the-art", "a-very-long-name-of-2026-that-is-no-code", "1-"])
def test_other_words_with_hyphens_may_break(words):
    assert "<span" not in document_html(words)


def test_nothing_of_a_document_is_live():
    shown = document_html('<b>x-1</b> [link](https://example.com/a-1) ![E-1](https://example.com/p.png) "&"')
    assert "<b>" not in shown
    assert "href" not in shown
    assert "<img" not in shown
    assert "&quot;&amp;&quot;" in shown
