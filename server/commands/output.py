"""What commands write: results on standard output, everything else on standard error."""

import json
import sys
import unicodedata
from collections.abc import Sequence
from typing import Any

JOINERS = "\u200c\u200d"  # parts of Persian and Indic words, and of composed emoji


def write_json(value: Any) -> None:
    """Write one JSON value to standard output."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n")


def write_line(text: str = "") -> None:
    """Write one line of a result to standard output."""
    sys.stdout.write(one_line(text) + "\n")


def write_text(text: str) -> None:
    """Write a text of several lines to standard output, without the characters that steer a terminal."""
    sys.stdout.write(text_only(text).rstrip("\n") + "\n")


def tell(*parts: str) -> None:
    """Write `khub: part: part …` to standard error, as one line; empty parts are left out."""
    sys.stderr.write(": ".join(["khub", *(one_line(part) for part in parts if part)]) + "\n")


def one_line(text: str) -> str:
    """Return the text with line breaks and other characters that steer a terminal as escapes."""
    if text.isprintable():
        return text
    return "".join(c.encode("unicode_escape").decode() if _steers(c) else c for c in text)


def text_only(text: str) -> str:
    """Return the text without control characters, but for line breaks and tabs: documents are not to be trusted."""
    return "".join("\ufffd" if unicodedata.category(c) == "Cc" and c not in "\n\t" else c for c in text)


def write_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], right: Sequence[str] = ()) -> None:
    """Write a table: aligned on a terminal, tab-separated with a head line elsewhere.

    :param columns: their names.
    :param rows: values; None is shown as nothing.
    :param right: names of columns with numbers.
    """
    cells = [["" if value is None else one_line(str(value)) for value in row] for row in rows]
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


def _steers(character: str) -> bool:
    category = unicodedata.category(character)
    return category in ("Cc", "Cs", "Zl", "Zp") or (category == "Cf" and character not in JOINERS)
