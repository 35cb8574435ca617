"""Tables that a page break cuts."""

from collections.abc import Sequence
from itertools import pairwise

from khub.components.converters.pdf.drafts import Draft
from khub.components.converters.pdf.tables import Table

_SAME_EDGE = 8.0
_OVERLAP = 0.3
_NEAR_FOOT = 0.6
_NEAR_HEAD = 0.4


def repeat_headers(pages: Sequence[Sequence[Draft]], heights: Sequence[float]) -> None:
    """Give a table that goes on at the head of a page the header of the page before.

    :param pages: the blocks of each page, in order.
    :param heights: of the pages.
    """
    for index in range(1, len(pages)):
        before = _last(pages[index - 1], heights[index - 1])
        after = _first(pages[index], heights[index])
        if before is None or after is None or not _match(before, after):
            continue
        if _key(after.rows[0]) != _key(before.rows[0]) and _is_header(before):
            if any(after.rows[0]):
                after.rows.insert(0, list(before.rows[0]))
            else:  # it began with figures
                after.rows[0] = list(before.rows[0])
            after.repeated_header = True


def _last(drafts: Sequence[Draft], height: float) -> Table | None:
    body = [draft for draft in drafts if draft.kind != "footnote"]
    if not body or body[-1].table is None or body[-1].box[3] < _NEAR_FOOT * height:
        return None
    return body[-1].table


def _first(drafts: Sequence[Draft], height: float) -> Table | None:
    if not drafts or drafts[0].table is None or drafts[0].box[1] > _NEAR_HEAD * height:
        return None
    return drafts[0].table


def _match(before: Table, after: Table) -> bool:
    if len(before.rows[0]) != len(after.rows[0]):
        return False
    if abs(before.edges[0] - after.edges[0]) > _SAME_EDGE:
        return False
    columns = zip(pairwise(before.edges), pairwise(after.edges), strict=True)
    return all(min(one[1], other[1]) - max(one[0], other[0]) > _OVERLAP * (one[1] - one[0]) for one, other in columns)


def _is_header(table: Table) -> bool:
    """Whether the first row names the columns: hardly a number in it."""
    cells = [cell for cell in table.rows[0] if cell]
    numeric = sum(any(map(str.isdigit, cell)) and not any(map(str.isalpha, cell)) for cell in cells)
    return bool(cells) and (table.repeated_header or numeric <= len(cells) // 2)


def _key(row: Sequence[str]) -> str:
    return "|".join(" ".join(cell.split()).casefold() for cell in row)
