"""Tables of Markdown as plain lines: the marks between cells say nothing, and take the place of words in a vector."""

import re

_ROW = re.compile(r"^[ \t]*\|.*\|[ \t]*$", re.MULTILINE)
_RULE = re.compile(r"^[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*\n?", re.MULTILINE)
_BETWEEN = re.compile(r"(?<!\\)\|")


def plain_rows(text: str) -> str:
    """Return a text in which each row of a table is its cells, a space between them, and the rules are gone."""
    if "|" not in text:
        return text
    return _ROW.sub(lambda row: " ".join(filter(None, map(str.strip, _BETWEEN.split(row[0])))), _RULE.sub("", text))
