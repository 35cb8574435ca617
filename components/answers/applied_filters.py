"""What the filters say of a question."""

import re
from typing import Any

_BY_PAGE = re.compile(r"(?:^|[\s(])page:")


def by_page(applied: list[dict[str, Any]]) -> bool:
    """Return whether one of the filters that were applied is by pages.

    :param applied: `{"text", "from", "words"}` of each filter, and `dropped` (why) where one was not applied.
    """
    return any(_BY_PAGE.search(one["text"]) and not one.get("dropped") for one in applied)


def only_filters(query: str, searched: str | None, applied: list[dict[str, Any]]) -> bool:
    """Return whether a question names only where to look, and nothing to look for.

    :param query: the question.
    :param searched: the question without the words that became a filter, or all of it where none would be left; None
        where that is not known.
    :param applied: as `by_page` takes it.
    """
    named = any(one["from"] == "question" and not one.get("dropped") for one in applied)
    return named and searched == query
