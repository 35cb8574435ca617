"""Rows of tables among the sentences of a passage."""

import re

DELIMITER = re.compile(r"\|(?:[ \t]*:?-+:?[ \t]*\|)+")
Spans = list[tuple[int, int]]


def has_table(text: str) -> bool:
    """Whether there is a table in Markdown."""
    return DELIMITER.search(text) is not None


def with_whole_rows(text: str, spans: Spans) -> Spans:
    """Return the spans with all sentences of one row as one.

    :param text: Markdown.
    :param spans: where its sentences are, without a gap.
    """
    whole: Spans = []
    for start, end in spans:
        if whole and text[start - 1] != "\n" and text.startswith("|", text.rfind("\n", 0, start) + 1):
            whole[-1] = (whole[-1][0], end)
        else:
            whole.append((start, end))
    return whole


def header_rows(text: str, spans: Spans) -> dict[int, int]:
    """Return for each row of a table which one is its header, by their places among the spans.

    :param text: Markdown.
    :param spans: from `with_whole_rows`.
    :returns: row -> header row; a header is its own. Rows without a header are not among them.
    """
    lines = [text[start:end].strip() for start, end in spans]
    headers: dict[int, int] = {}
    for place, line in enumerate(lines):
        if not line.startswith("|"):
            continue
        if place + 1 < len(lines) and DELIMITER.fullmatch(lines[place + 1]):
            headers[place] = place
        elif place - 1 in headers:
            headers[place] = headers[place - 1]
    return headers
