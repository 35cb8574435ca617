"""The first line by which a table in text tells Excel its delimiter: `sep=;`."""

import re

_LINE = re.compile(r"\ufeff?\"?sep=(.)\"?[ \t]*(?:\n|\Z)", re.IGNORECASE)


def without_separator_line(text: str) -> tuple[str, str]:
    """Return a table without that line, and the delimiter; the text as it is and "" where there is no such line."""
    found = _LINE.match(text)
    return (text[found.end() :], found[1]) if found else (text, "")
