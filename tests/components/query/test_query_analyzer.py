import asyncio
from typing import Any

import pytest

from components.errors import QueryError
from components.query.query_analyzer import QueryAnalyzer

pytestmark = pytest.mark.unit


@pytest.fixture(params=["run", "run_async"])
def analyze(request: pytest.FixtureRequest) -> Any:
    if request.param == "run":
        return lambda query, **parameters: QueryAnalyzer(**parameters).run(query=query)
    return lambda query, **parameters: asyncio.run(QueryAnalyzer(**parameters).run_async(query=query))


def test_white_space_and_control_characters_are_cleaned_away(analyze: Any) -> None:
    assert analyze("  how\tto\r\n\x00set \u200b\u202eup\ufeff  \u3000Redis\ud800 ")["query"] == "how to set up Redis"


def test_terms_are_the_tokens_without_stop_words(analyze: Any) -> None:
    assert analyze("How do I set up the Redis cache?")["terms"] == ["set", "up", "redi", "cach"]


@pytest.mark.parametrize(
    "query",
    ["", "   ", "\x00\x07", "?!", "。。。", "\u200b\u200d", "--- ... ***", "$ + = ~ ^"],
)
def test_a_query_that_says_nothing_is_refused_with_a_remedy(analyze: Any, query: str) -> None:
    with pytest.raises(QueryError, match="at least one word"):
        analyze(query)


@pytest.mark.parametrize(("query", "terms"), [("🚀🚀", []), ("👩‍💻", []), ("C++", ["c++"]), ("7", ["7"])])
def test_short_and_odd_queries_are_allowed(analyze: Any, query: str, terms: list[str]) -> None:
    result = analyze(query)

    assert result["query"] == query
    assert set(terms) <= set(result["terms"])
    assert bool(result["terms"]) == bool(terms)


def test_a_query_that_is_too_long_is_refused_with_both_numbers(analyze: Any) -> None:
    assert analyze("word " * 4, max_characters=19)["query"] == "word word word word"
    with pytest.raises(QueryError, match=r"19 characters, 18 are allowed: shorten"):
        analyze("word " * 4, max_characters=18)


def test_the_default_bound_is_8000_characters(analyze: Any) -> None:
    analyze("x" * 8000)
    with pytest.raises(QueryError):
        analyze("x" * 8001)
