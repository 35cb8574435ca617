"""Tables of generated documents."""

from khub.eval.lab.documents.material.topic import Columns
from khub.eval.lab.documents.model import Cell, Row, Table
from khub.eval.lab.documents.values import Values

NUMBERS = {"count", "money", "percent", "decimal"}
LONG = 46  # rows, more than a page of any of the layouts holds beside its text
KINDS = ("plain", "phrases", "merged", "long")


def make_table(values: Values, columns: Columns, kind: str, ruling: str, caption: str) -> Table:
    """Make a table.

    :param values: draws what stands in the cells.
    :param columns: what it is made of.
    :param kind: one of `KINDS`: `merged` has a head of two rows with cells over several columns where the material has
        groups, `long` goes over a page break.
    :param ruling: see `Table`.
    :param caption: the line above it.
    """
    grouped = kind == "merged" and bool(columns.groups)
    kinds = columns.kinds[:2] * len(columns.groups) if grouped else columns.kinds
    body = tuple(_row(values, name, kinds) for name in _names(values, columns, kind))
    numeric = frozenset(number for number, kind_ in enumerate(kinds, 1) if kind_ in NUMBERS)
    head = _grouped_head(columns) if grouped else (tuple(Cell(text) for text in columns.head),)
    return Table(caption, head, body, numeric, ruling)


def _names(values: Values, columns: Columns, kind: str) -> list[str]:
    names = [values.fill(name) for name in columns.names]
    if kind == "long":
        rounds = -(-LONG // len(names))
        return [f"{name} {number}" for number in range(1, rounds + 1) for name in names][:LONG]
    first = values.random.randrange(0, 3)
    return names[first : first + values.random.randrange(4, 10)]


def _row(values: Values, name: str, kinds: tuple[str | tuple[str, ...], ...]) -> Row:
    cells = [Cell(name)]
    for kind in kinds:
        if kind in NUMBERS and values.random.random() < 0.04:
            cells.append(Cell(""))
        else:
            cells.append(Cell(values.value(kind) if isinstance(kind, str) else values.fill(values.random.choice(kind))))
    return tuple(cells)


def _grouped_head(columns: Columns) -> tuple[Row, Row]:
    upper = [Cell(columns.head[0], rowspan=2), *(Cell(group, colspan=2) for group in columns.groups)]
    lower = [Cell(text) for _ in columns.groups for text in columns.head[1:3]]
    return tuple(upper), tuple(lower)
