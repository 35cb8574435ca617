import pytest

from components.answers.excerpt import excerpt
from components.text.tokenizer import tokenize

pytestmark = pytest.mark.unit

TEXT = "Alpha is first. Beta is second. The budget is 3.5 million. Delta is fourth. Epsilon is last."


def test_a_short_text_stays_whole() -> None:
    assert excerpt(TEXT, {"budget"}, len(TEXT)) == TEXT


def test_a_long_text_is_cut_around_the_sentence_with_the_terms() -> None:
    assert excerpt(TEXT, {"budget"}, 32) == "…The budget is 3.5 million.…"


def test_the_room_that_is_left_goes_to_the_sentences_around() -> None:
    assert excerpt(TEXT, {"budget"}, 50) == "…Beta is second. The budget is 3.5 million.…"
    assert excerpt(TEXT, {"beta"}, 50) == "Alpha is first. Beta is second.…"
    assert excerpt(TEXT, {"alpha"}, 40) == "Alpha is first. Beta is second.…"


def test_the_part_with_the_most_terms_wins() -> None:
    assert "Delta" in excerpt(TEXT, {"delta", "epsilon", "alpha"}, 40)


def test_without_a_hit_the_beginning_is_shown() -> None:
    assert excerpt(TEXT, set(), 20) == "Alpha is first.…"


def test_chinese_sentences_are_kept_whole() -> None:
    text = "第一句话。年度预算为三百万元!后面还有别的内容。"

    assert excerpt(text, {"预算"}, 13) == "…年度预算为三百万元!…"


@pytest.mark.parametrize("limit", [1, 2, 3, 10, 50, 399])
@pytest.mark.parametrize("text", ["x" * 400, "汉" * 400, "\n" * 400, "a. " * 200])
def test_the_limit_holds(text: str, limit: int) -> None:
    assert len(excerpt(text, {"x"}, limit)) <= limit


def test_a_long_sentence_is_cut_where_its_term_is() -> None:
    assert "needle" in excerpt("hay " * 500 + "needle " + "hay " * 500, set(tokenize("needle")), 100)


def test_what_is_to_be_kept_comes_before_all_terms() -> None:
    assert excerpt(TEXT, {"alpha", "beta"}, 32, keep="The budget is 3.5 million.") == "…The budget is 3.5 million.…"
    assert excerpt(TEXT, {"alpha"}, 20, keep="not in it") == "Alpha is first.…"
