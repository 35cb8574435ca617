"""What the filters say of a question."""

import re
from typing import Any

_BY_PAGE = re.compile(r"(?:^|[\s(])page:")


def by_page(applied: list[dict[str, Any]]) -> bool:
    """Return whether one of the filters that were applied is by pages.

    :param applied: `{"text", "from", "words"}` of each filter, and `dropped` (why) where one was not applied.
    """
    return any(_BY_PAGE.search(one["text"]) and not one.get("dropped") for one in applied)


def of_question(applied: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the filters that were typed in the question and applied; `applied` as `by_page` takes it."""
    return [one for one in applied if one["from"] == "question" and not one.get("dropped")]


def only_filters(searched: str, applied: list[dict[str, Any]]) -> bool:
    """Return whether a question names only where to look, and nothing to look for.

    :param searched: the question without the words that became a filter, or with them where none would be left.
    :param applied: as `by_page` takes it.
    """
    return any(one["words"] in searched for one in of_question(applied))
