import pytest

from khub.components.answers.excerpt import excerpt

pytestmark = pytest.mark.unit

TEXT = "Alpha is first. Beta is second. The budget is 3.5 million. Delta is fourth. Epsilon is last."


def test_a_short_text_stays_whole() -> None:
    assert excerpt(TEXT, len(TEXT)) == TEXT


@pytest.mark.parametrize(
    ("limit", "keep", "part"),
    [
        (32, "The budget is 3.5 million.", "…The budget is 3.5 million.…"),
        (50, "The budget is 3.5 million.", "…The budget is 3.5 million. Delta is fourth.…"),
        (50, "Epsilon is last.", "…Delta is fourth. Epsilon is last."),
        (20, "", "Alpha is first.…"),
        (20, "not in it", "Alpha is first.…"),
    ],
)
def test_a_long_text_is_cut_between_sentences_around_what_is_kept(limit: int, keep: str, part: str) -> None:
    assert excerpt(TEXT, limit, keep) == part


def test_chinese_sentences_are_kept_whole() -> None:
    text = "第一句话。年度预算为三百万元！后面还有别的内容。"

    assert excerpt(text, 13, "年度预算为三百万元！") == "…年度预算为三百万元！…"


@pytest.mark.parametrize("limit", [1, 2, 3, 10, 50, 399])
@pytest.mark.parametrize("text", ["x" * 400, "汉" * 400, "\n" * 400, "a. " * 200])
@pytest.mark.parametrize("keep", ["", "x" * 30, "汉" * 300])
def test_the_limit_holds(text: str, limit: int, keep: str) -> None:
    assert len(excerpt(text, limit, keep)) <= limit
