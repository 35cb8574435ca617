from dataclasses import replace
from typing import Any

import pytest

from khub.components.answer import AppliedFilter
from khub.components.errors import QueryError
from khub.components.query.query_analyzer import QueryAnalyzer
from khub.components.question import Question

pytestmark = pytest.mark.unit


def analyze(text: str, **parameters: Any) -> Question:
    return QueryAnalyzer(**parameters).run(question=Question(text, text))["question"]


def test_white_space_and_control_characters_are_cleaned_away() -> None:
    assert analyze("  how\tto\r\n\x00set \u200b\u202eup\ufeff  \u3000Redis\ud800 ").text == "how to set up Redis"


def test_terms_are_the_tokens_without_stop_words() -> None:
    assert analyze("How do I set up the Redis cache?").terms == ["set", "up", "redi", "cach"]


@pytest.mark.parametrize(
    "query",
    ["", "   ", "\x00\x07", "?!", "。。。", "\u200b\u200d", "--- ... ***", "$ + = ~ ^"],
)
def test_a_query_that_says_nothing_is_refused_with_a_remedy(query: str) -> None:
    with pytest.raises(QueryError, match="at least one word"):
        analyze(query)


@pytest.mark.parametrize(
    ("query", "terms"), [("🚀🚀", ["🚀"]), ("👩‍💻", ["👩", "💻"]), ("§", ["§"]), ("C++", ["c++"]), ("7", ["7"])]
)
def test_short_and_odd_queries_are_allowed(query: str, terms: list[str]) -> None:
    result = analyze(query)

    assert result.text == query
    assert result.terms == terms


def test_a_query_that_is_too_long_is_refused_with_both_numbers() -> None:
    assert analyze("word " * 4, max_characters=19).text == "word word word word"
    with pytest.raises(QueryError, match=r"19 characters, 18 are allowed: shorten"):
        analyze("word " * 4, max_characters=18)


def test_the_default_bound_is_8000_characters() -> None:
    analyze("x" * 8000)
    with pytest.raises(QueryError):
        analyze("x" * 8001)


def test_the_rest_of_the_question_stays_and_stock_parts_get_its_text_and_filter() -> None:
    only = {"field": "meta.language", "operator": "==", "value": "zh"}
    question = Question(
        "hi,  leave", " leave", "docs", only, sub_queries=["a", "b"], applied_filters=[AppliedFilter("x", "caller", "")]
    )
    result = QueryAnalyzer().run(question=question)
    assert result["question"] == replace(question, text="leave", terms=["leav"])
    assert (result["query"], result["filters"]) == ("leave", only)
