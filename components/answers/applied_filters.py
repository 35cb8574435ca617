"""What of a question became a filter, and what is left to look for."""

import re
from typing import Any

from components.query.query_filters import BETWEEN_CUES

_BY_PAGE = re.compile(r"(?:^|[\s(])page:")


def by_page(applied: list[dict[str, Any]]) -> bool:
    """Return whether one of the filters that were applied is by pages.

    :param applied: `{"text", "from", "words"}` of each filter, and `dropped` (why) where one was not applied.
    """
    return any(_BY_PAGE.search(one["text"]) and not one.get("dropped") for one in applied)


def searched_words(query: str, applied: list[dict[str, Any]]) -> str:
    """Return the question without the words that became a filter; as it was, if no word would be left.

    :param query: the question.
    :param applied: as `by_page` takes it.
    """
    rest = without_filters(query, applied)
    return rest if any(map(str.isalnum, rest)) else query


def without_filters(query: str, applied: list[dict[str, Any]]) -> str:
    """Return the question in one line without the words that became a filter, even where none is left.

    :param query: the question.
    :param applied: as `by_page` takes it.
    """
    rest = one_line(query)
    for one in applied:
        if one["from"] == "question" and one["words"] and not one.get("dropped"):
            for words in one["words"].split(BETWEEN_CUES):
                rest = re.sub(rf"(?<![A-Za-z0-9]){re.escape(words)}(?![A-Za-z0-9])", " ", rest)
    return rest


def one_line(text: str) -> str:
    """Return the text with single spaces for all white space in it."""
    return " ".join(text.split())
