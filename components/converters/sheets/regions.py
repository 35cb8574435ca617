"""Which cells of a sheet belong together: what empty rows and columns part, as far as each part can stand alone."""

from collections.abc import Iterator

from khub.components.converters.sheets.rows import Row, columns_of, is_lone, without_titles


def regions(rows: list[Row]) -> Iterator[list[Row]]:
    """Part a sheet into tables, each with the titles above it, and lines of text.

    :param rows: the filled cells, in order; what merged cells show is spread over them.
    :returns: the parts from top to bottom, those beside each other from left to right.
    """
    for block in _split_rows(rows):
        parts = _split_columns(block)
        if len(parts) == 1:
            yield block
        for part in parts if len(parts) > 1 else []:
            yield from regions(part)


def _split_rows(rows: list[Row]) -> list[list[Row]]:
    joined: list[list[Row]] = []
    for block in _blocks(rows):
        if joined and _continues(joined[-1], block):
            joined[-1] += block
        else:
            joined.append(block)
    return joined


def _blocks(rows: list[Row]) -> list[list[Row]]:
    """Part rows at empty ones, and at titles with a new head below."""
    blocks: list[list[Row]] = []
    for index, row in enumerate(rows):
        follows = bool(blocks) and row[0] == blocks[-1][-1][0] + 1
        if follows and not _begins_anew(blocks[-1], rows[index:]):
            blocks[-1].append(row)
        else:
            blocks.append([row])
    return blocks


def _begins_anew(above: list[Row], rest: list[Row]) -> bool:
    """Whether a title stands directly below a table, and a head below it that does not fit the table's columns."""
    if not is_lone(rest[0]) or is_lone(above[-1]) or len(without_titles(above)) < 2:
        return False
    below: list[Row] = []
    for row in without_titles(rest):
        if is_lone(row) or (below and row[0] != below[-1][0] + 1):
            break
        below.append(row)
    return len(below) > 1 and columns_of(below) <= columns_of(above) and _misfits(above, below)


def _continues(above: list[Row], block: list[Row]) -> bool:
    """Whether a block is the same table as the one above, in spite of the empty rows between."""
    if not without_titles(above) or not columns_of(block) <= columns_of(above):
        return False
    body = without_titles(block)
    if not body:  # a total may stand apart; a line of text is none of the table's
        return len(block) == 1 and all(value.is_number for value in block[0][1].values())
    if len(body) < len(block) and 2 * len(columns_of(body)) < len(columns_of(above)):
        return False
    if len(body) == 1:
        return True
    if begins_with_header(body) or _misfits(above, body):
        return False
    has_numbers = any(value.is_number for _, cells in body for value in cells.values())
    return has_numbers or block[0][0] - above[-1][0] == 2


def _misfits(above: list[Row], body: list[Row]) -> bool:
    """Whether a block begins with names, in a column of numbers, and goes on with none or as a table of its own."""
    first = body[0][1]
    if len(first) < 2 or any(value.is_number for value in first.values()):
        return False
    numeric = (column for column in first if _is_numeric(above, column))
    return any(begins_with_header(body) or not _is_numeric(body, column) for column in numeric)


def _is_numeric(rows: list[Row], column: int) -> bool:
    found = [cells[column].is_number for _, cells in without_titles(rows)[1:] if column in cells]
    return 2 * sum(found) > len(found)


def begins_with_header(block: list[Row]) -> bool:
    """Whether a block begins with a row of names, and numbers stand below."""
    (_, first), *rest = block
    if len(first) < 2 or any(value.is_number and not value.is_year for value in first.values()):
        return False
    return any(value.is_number for _, cells in rest for value in cells.values())


def _split_columns(block: list[Row]) -> list[list[Row]]:
    titles = block[: len(block) - len(without_titles(block))]
    body = block[len(titles) :]
    groups: list[list[int]] = []
    for column in sorted(columns_of([row for row in body if not is_lone(row)])):
        if groups and column == groups[-1][-1] + 1:
            groups[-1].append(column)
        else:
            groups.append([column])
    parts: list[list[int]] = groups[:1]
    for group in groups[1:]:
        if _are_apart(_cut(block, parts[-1]), _cut(block, group)):
            parts.append(group)
        else:
            parts[-1] = list(range(parts[-1][0], group[-1] + 1))
    if len(parts) < 2:
        return [block]
    return _with_titles(titles, [(part, _cut(body, part)) for part in parts])


def _with_titles(titles: list[Row], parts: list[tuple[list[int], list[Row]]]) -> list[list[Row]]:
    """Put each title above the one part that it covers; others stand alone above all of them."""
    shared: list[Row] = []
    for title in reversed(titles):
        over = [rows for columns, rows in parts if set(title[1]) <= set(columns)]
        if over:
            over[0].insert(0, title)
        else:
            shared.insert(0, title)
    return [*([shared] if shared else []), *(rows for _, rows in parts)]


def _cut(block: list[Row], columns: list[int]) -> list[Row]:
    inside = range(columns[0], columns[-1] + 1)
    cut = [(number, {c: v for c, v in cells.items() if c in inside}) for number, cells in block]
    return [row for row in cut if any(not value.copied for value in row[1].values())]


def _are_apart(left: list[Row], right: list[Row]) -> bool:
    """Whether what stands on both sides of an empty column are two things."""
    for one, other in ((left, right), (right, left)):
        if len(one) == 1 and is_lone(one[0]) and one[0][0] != other[0][0]:
            return not any(value.is_number for value in one[0][1].values())
    left, right = without_titles(left), without_titles(right)
    if not (_stands_alone(left) and _stands_alone(right)):
        return False
    heads = [[value.text for _, value in sorted(rows[0][1].items())] for rows in (left, right)]
    if heads[0] == heads[1]:
        return True
    column = min(right[0][1])
    if right[0][1][column].is_year:
        return False
    names = [cells[column] for _, cells in right[1:] if column in cells]
    named = len({name.text for name in names}) == len(names) and not any(name.is_number for name in names)
    return named or (begins_with_header(left) and begins_with_header(right))


def _stands_alone(rows: list[Row]) -> bool:
    if len(rows) < 2 or rows[-1][0] - rows[0][0] >= len(rows) or len(columns_of(rows)) < 2:
        return False
    first = rows[0][1]
    return len(first) > 1 and not any(value.is_number and not value.is_year for value in first.values())
