"""Rows that no line parts: where the columns of a drawn row step together, each step is a row."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from khub.components.converters.pdf.layout import Segment
from khub.components.converters.pdf.lines import to_lines
from khub.components.converters.pdf.number_cells import cells_of_line, is_number
from khub.components.converters.pdf.number_rows import begins_inside

_APART = 0.85
_SAME = 0.4
"""Baselines of one step differ by less, in font sizes."""
Columns = Mapping[int, Sequence[Segment]]


def stepped_rows(columns: Columns) -> list[dict[int, list[Segment]]]:
    """Part a row where its columns step together.

    A row is parted only by numbers: two numbers below each other in one column are two rows, while words may be the
    lines of one cell. What stands on no number's line belongs to the nearest one's, but for a label that stands as far
    from the others as rows do: that heads the rows below it.

    :param columns: what stands in each column of one drawn row.
    :returns: one part or more, from top to bottom; the row as it was where it has one number in each column at most.
    """
    steps = _steps(columns)
    if len(steps) < 2:
        return [{column: list(parts) for column, parts in columns.items()}]
    steps = sorted([*steps, *_heading(columns[min(columns)], steps)])
    rows: list[dict[int, list[Segment]]] = [{} for _ in steps]
    for column, parts in columns.items():
        for part in parts:
            place = _nearest(part, steps)
            rows[place].setdefault(column, []).append(part)
    return rows


def _steps(columns: Columns) -> list[float]:
    """Return the baselines of the column with most numbers, where each other column has a line on most of them."""
    most: list[float] = []
    for parts in columns.values():
        lines = to_lines(parts)
        numbers = [line.baseline for line in lines if all(is_number(cell.text) for cell in cells_of_line(line))]
        if len(numbers) == len(lines) and len(numbers) > len(most):
            most = numbers
    size = next((part.size for parts in columns.values() for part in parts), 0.0)
    beside = [
        sum(any(abs(part.baseline - step) < _SAME * size for part in parts) for step in most)
        for parts in columns.values()
    ]
    return most if sum(count * 2 > len(most) for count in beside) > 1 else []


def _heading(labels: Sequence[Segment], steps: Sequence[float]) -> list[float]:
    """Return the baselines of labels between the steps that are rows of their own."""
    pitch = min(other - one for one, other in pairwise(steps))
    baselines = [line.baseline for line in to_lines(labels) if not begins_inside(line.text)]
    alone = [each for each in baselines if all(abs(each - step) >= _APART * pitch for step in steps)]
    return [each for each in alone if all(abs(each - other) >= _APART * pitch for other in baselines if other != each)]


def _nearest(part: Segment, steps: Sequence[float]) -> int:
    """Return the number of the step that a part stands on, or next to; of two the upper one."""
    return min(range(len(steps)), key=lambda place: round(abs(part.baseline - steps[place]) / part.size, 1))
