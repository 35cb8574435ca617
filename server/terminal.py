"""What commands write: results on standard output, everything else on standard error."""

import json
import sys
from collections.abc import Sequence
from typing import Any

from khub.components.text.hidden_characters import for_terminal, on_one_line


def write_json(value: Any) -> None:
    """Write one JSON value to standard output."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n")


def write_line(text: str = "") -> None:
    """Write one line of a result to standard output."""
    sys.stdout.write(on_one_line(text) + "\n")


def write_text(text: str) -> None:
    """Write a text of several lines to standard output, without the characters that steer a terminal."""
    sys.stdout.write(for_terminal(text).rstrip("\n") + "\n")


def tell(*parts: str) -> None:
    """Write `khub: part: part …` to standard error, as one line; empty parts are left out."""
    sys.stderr.write(": ".join(["khub", *(on_one_line(part) for part in parts if part)]) + "\n")


def write_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], right: Sequence[str] = ()) -> None:
    """Write a table: aligned on a terminal, tab-separated with a head line elsewhere.

    :param columns: their names.
    :param rows: values; None is shown as nothing.
    :param right: names of columns with numbers.
    """
    cells = [["" if value is None else on_one_line(str(value)) for value in row] for row in rows]
    if not sys.stdout.isatty():
        sys.stdout.writelines("\t".join(row) + "\n" for row in [list(columns), *cells])
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in columns:
        table.add_column(name, justify="right" if name in right else "left", overflow="fold")
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    Console(file=sys.stdout).print(table)


def count(number: int, thing: str, things: str = "") -> str:
    """Return `1 file`, `2 files`, `1,234 files`."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"
