"""What the filters say of a question."""

import re
from collections.abc import Sequence

from khub.components.answer import AppliedFilter

_BY_PAGE = re.compile(r"(?:^|[\s(])page:")


def by_page(applied: Sequence[AppliedFilter]) -> bool:
    """Return whether one of the filters that were applied is by pages."""
    return any(_BY_PAGE.search(one.text) and not one.dropped for one in applied)


def of_question(applied: Sequence[AppliedFilter]) -> list[AppliedFilter]:
    """Return the filters that were typed in the question and applied."""
    return [one for one in applied if one.from_ == "question" and not one.dropped]


def only_filters(searched: str, applied: Sequence[AppliedFilter]) -> bool:
    """Return whether a question names only where to look, and nothing to look for.

    :param searched: the question without the words that became a filter, or with them where none would be left.
    """
    return any(one.words in searched for one in of_question(applied))
