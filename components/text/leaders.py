"""The rows of dots that lead the eye from a word to its number: they say nothing, and would fill a passage."""

import re

LEADERS = re.compile(r"([.·•․‥…])(?:[ \t]?\1){3,}")
"""Four or more of the same mark, with or without a space between them."""
_WITH_BLANKS = re.compile(rf"(?:(?<![ \t])[ \t]++)?{LEADERS.pattern}[ \t]*+")


def without_leaders(text: str) -> str:
    """Return a text in which a colon stands for each row of leaders: `Total ........ 12` -> `Total: 12`."""
    return _WITH_BLANKS.sub(": ", text) if LEADERS.search(text) else text
