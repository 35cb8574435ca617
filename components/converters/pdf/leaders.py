"""Leaders: the dots that lead from a title to its page number in a table of contents."""

import re

_LEADERS = re.compile(r"\.{4,}|(?:\. ){3,}\.|…{2,}|_{5,}|·{4,}|(?:· ){3,}·")
_LONGEST = 8


def has_leaders(text: str) -> bool:
    """Whether a line has leaders in it."""
    return _LEADERS.search(text) is not None


def ends_in_leaders(text: str) -> bool:
    """Whether a line ends with leaders and what they lead to."""
    ends = [found.end() for found in _LEADERS.finditer(text)]
    return bool(ends) and len(text[ends[-1] :].strip(" .·_")) <= _LONGEST
