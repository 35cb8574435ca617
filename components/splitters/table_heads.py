"""What stands over the rows of a table: the heads of its columns."""

import re

MOST_ROWS = 3
_GROUP_REACH = 3_000
"""In characters: as far above a row what heads it is looked for."""
_AMOUNT = re.compile(r"[($€£¥+\-–— ]*\d[\d,. ]*[)%]*")
_YEAR = re.compile(r"(?:19|20)\d\d")


def head_rows(table: str) -> str:
    """Return the rows of a Markdown table that name its columns, without the rule below the first.

    Those are the first, unless it holds amounts as any other, and those behind it that have no first cell.

    :param table: the table, or as much of it as may be repeated.
    """
    lines = table.split("\n")[:-1]  # the last one may be cut
    rows = [line.strip() for number, line in enumerate(lines) if number != 1][:MOST_ROWS]
    if not rows or _has_amounts(rows[0]):
        return ""
    heads = rows[:1]
    for row in rows[1:]:
        if _cells(row)[:1] != [""] or _has_amounts(row) or not any(_cells(row)):
            break
        heads.append(row)
    return "\n".join(heads)


def group_row(text: str, table: int, start: int) -> str:
    """Return the row that heads a row of a table: the last one before it of a first cell alone, such as a year.

    :param text: the document.
    :param table: where its heads begin.
    :param start: where the row begins; one that heads others itself has none.
    """
    row_end = text.find("\n", start)
    if _heads_group(text[start : row_end if row_end >= 0 else len(text)]):
        return ""
    body = text.find("\n", text.find("\n", table) + 1)
    above = text[max(body, start - _GROUP_REACH) : start].split("\n")[1:]
    return next((row.strip() for row in reversed(above) if _heads_group(row)), "")


def _heads_group(row: str) -> bool:
    cells = _cells(row.strip())
    return len(cells) > 2 and bool(cells[0]) and not any(cells[1:])


def one_line(text: str) -> str:
    """Return a text without its line breaks."""
    return " ".join(text.split())


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split("|")]


def _has_amounts(row: str) -> bool:
    """Whether most of the cells behind the first are amounts; a year is the head of a column."""
    others = [cell for cell in _cells(row)[1:] if cell]
    amounts = [cell for cell in others if _AMOUNT.fullmatch(cell) and not _YEAR.fullmatch(cell)]
    return bool(others) and len(amounts) * 2 > len(others)
