"""Lines of figures: a label, and the values that stand behind it."""

from collections.abc import Sequence
from dataclasses import dataclass

from khub.components.converters.pdf.lines import Line
from khub.components.converters.pdf.list_items import is_marker
from khub.components.converters.pdf.number_cells import Cell, cells_of_line, is_figure, is_number, is_year
from khub.components.converters.pdf.scripts import cjk_share

FARTHEST = 2.6
"""From one row's baseline to the next one's, in font sizes."""
_SHORT = 20


@dataclass(slots=True)
class Row:
    """A line of a table.

    :param label: what stands before the values; None where nothing does.
    :param values: the cells behind it: figures, and short words in place of some.
    :param figures: how many of them are figures.
    """

    line: Line
    label: Cell | None
    values: list[Cell]
    figures: int

    @property
    def bold(self) -> bool:
        """Whether its label is set in bold."""
        return self.line.segments[0].bold

    @property
    def is_codes(self) -> bool:
        """Whether none of its figures is a plain number: they may name columns."""
        return bool(self.values) and not any(is_number(cell.text) for cell in self.values)

    @property
    def is_years(self) -> bool:
        """Whether its figures name years alone, as those of a head do."""
        years = [cell for cell in self.values if is_number(cell.text)]
        return bool(years) and all(is_year(cell.text) for cell in years)


def row_of(line: Line, label: Cell | None, values: list[Cell]) -> Row:
    """Return a row, its figures counted."""
    return Row(line, label, values, sum(is_figure(cell.text) for cell in values))


def read_row(line: Line) -> Row | None:
    """Read a line as label and values; None where it is none."""
    if line.mono or line.rtl:
        return None
    cells = _marked(cells_of_line(line))
    if not cells:
        return None
    label = cells[0] if _is_label(cells) else None
    row = row_of(line, label, cells if label is None else cells[1:])
    whole = row.figures == len(row.values)
    return row if whole or all(is_figure(cell.text) or _is_short(cell.text) for cell in row.values) else None


def is_far(above: Row | None, row: Row | None, farthest: float = FARTHEST) -> bool:
    """Whether two lines stand too far apart to be rows of one table."""
    if above is None or row is None:
        return True
    return row.line.baseline - above.line.baseline > farthest * max(row.line.size, above.line.size)


def has_mark(row: Row) -> bool:
    """Whether a label begins with the mark of an item, such as c)."""
    return row.label is not None and is_marker(row.label.text.split(maxsplit=1)[0])


def begins_inside(text: str) -> bool:
    """Whether a line begins within a sentence, and not with the mark of an item."""
    return text[0].islower() and not is_marker(text.split(maxsplit=1)[0])


def _marked(cells: list[Cell]) -> list[Cell]:
    """Put the mark of an item, such as A. or 1., with the label that it marks."""
    if len(cells) > 1 and is_marker(cells[0].text) and not is_number(cells[1].text):
        return [Cell(cells[0].x0, cells[1].x1, f"{cells[0].text} {cells[1].text}", cells[1].leads), *cells[2:]]
    return cells


def _is_label(cells: Sequence[Cell]) -> bool:
    """Whether the first cell of a line is no figure of it: a year may head a row as well as a column."""
    first, *others = cells
    if not others or not is_number(first.text) or first.leads:
        return True
    return is_year(first.text) and not any(is_year(other.text) for other in others)


def _is_short(text: str) -> bool:
    return len(text) * (1 + cjk_share(text)) <= _SHORT
