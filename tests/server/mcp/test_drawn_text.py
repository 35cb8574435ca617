"""A client that draws what a tool says fetches nothing and leads nowhere else."""

import pytest
from markdown_it import MarkdownIt

from khub.components.answer import Answer, Citation
from khub.server.mcp.answer_result import answer_result
from khub.server.mcp.budget import BUDGET_TOKENS
from khub.server.mcp.text_result import CUT, text_result
from khub.server.mcp.untrusted import quoted

pytestmark = pytest.mark.unit
PICTURE = "![z](http://tracker.example/a.png)"
LIVE = f"{PICTURE} [c](http://tracker.example) <img src=x>"


def live_in(result):
    tokens = MarkdownIt("commonmark").parse(result.content[0].text)
    found = [child for token in tokens for child in (token, *(token.children or ()))]
    return [token.type for token in found if token.type in ("image", "link_open", "html_inline", "html_block")]


def test_text_of_a_document():
    assert not live_in(text_result(quoted(LIVE), {}))


def test_code_that_is_cut_in_two_hides_nothing():
    result = text_result(f"`{PICTURE} {'word ' * BUDGET_TOKENS}`", {})
    assert result.content[0].text.endswith(CUT)
    assert not live_in(result)


def test_answer_title_and_passages_and_its_data_stay_as_they_are():
    cited = Citation(1, "c", "d", "a.md", title=LIVE, text=LIVE, score=1.0)
    answer = Answer(f"**[1] {LIVE}**\n\n> x {LIVE}", citations=[cited], collection="default")
    result = answer_result(answer, "what?", True, False)
    assert not live_in(result)
    assert result.structured_content["citations"][0]["text"] == LIVE
