"""The figures of one document as one engine read it."""

from dataclasses import replace
from typing import Any

from khub.eval.lab.documents.metrics import heading_similarity, reading_order_similarity
from khub.eval.lab.documents.model import Document, Row, Table
from khub.eval.lab.documents.read_markdown import read_markdown
from khub.eval.lab.documents.structure import Grid, Part, Structure, Text, truth_of
from khub.eval.lab.documents.table_matching import match_tables


def evaluate(document: Document, markdown: str) -> dict[str, Any]:
    """Measure what an engine made of a document.

    Footnotes may stand anywhere: they are cut out before the rest is compared, and counted. A table that goes over a
    page break may stand in parts, each with its head.

    :returns: `{headings, order, tables: [{similarity, ruled, kind}], tables_found, notes, notes_found}`.
    """
    truth = truth_of(document)
    found, notes = without_notes(read_markdown(markdown), truth.notes)
    found = join_tables(found)
    scores = match_tables(truth.grids, found.grids)
    tables = [block for block in document.blocks if isinstance(block, Table)]
    return {
        "headings": heading_similarity(truth.headings, found.headings),
        "order": reading_order_similarity(truth.text, found.text),
        "tables": [
            {"similarity": score, "ruled": table.ruled, "ruling": table.ruling, "kind": kind_of(table)}
            for score, table in zip(scores, tables, strict=True)
        ],
        "tables_found": len(found.grids),
        "notes": len(truth.notes),
        "notes_found": notes,
    }


def kind_of(table: Table) -> str:
    """Return what is special about a table: `merged`, `long`, `phrases` or `plain`."""
    if len(table.head) > 1:
        return "merged"
    if len(table.body) > 30:
        return "long"
    return "phrases" if max(len(cell.text) for row in table.body for cell in row) > 30 else "plain"


def without_notes(found: Structure, notes: tuple[str, ...]) -> tuple[Structure, int]:
    """Cut footnotes out of a document wherever they stand, with the number before them.

    :returns: the rest, and how many there were.
    """
    parts = list(found.parts)
    count = 0
    for number, note in enumerate(notes, 1):
        for place, part in enumerate(parts):
            cut = _cut(part.text, note, number) if isinstance(part, Text) else None
            if cut is not None:
                parts[place] = Text(cut)
                count += 1
                break
    return Structure(tuple(part for part in parts if not isinstance(part, Text) or part.text)), count


def _cut(text: str, note: str, number: int) -> str | None:
    letters = [(letter, place) for place, letter in enumerate(text) if not letter.isspace()]
    squeezed = "".join(letter for letter, _ in letters)
    wanted = "".join(note.split())
    at = squeezed.rfind(wanted)
    if at < 0:
        return None
    start, end = letters[at][1], letters[at + len(wanted) - 1][1] + 1
    before = text[:start].rstrip()
    for mark in (f"[{number}]", f"^{number}", f"{number}.", f"{number})", f"{number}:", str(number)):
        if before.endswith(mark):
            before = before.removesuffix(mark)
            break
    return f"{before.rstrip()} {text[end:].lstrip()}".strip()


def join_tables(found: Structure) -> Structure:
    """Join tables that stand in parts, one a page with the head repeated in each and nothing between."""
    parts: list[Part] = []
    for part in found.parts:
        last = parts[-1] if parts else None
        if isinstance(part, Grid) and isinstance(last, Grid) and last.rows[:1] == part.rows[:1]:
            parts[-1] = Grid(last.rows + _after_head(last, part))
        else:
            parts.append(part)
    return replace(found, parts=tuple(parts))


def _after_head(first: Grid, second: Grid) -> tuple[Row, ...]:
    length = 0
    while length < min(len(first.rows), len(second.rows)) and first.rows[length] == second.rows[length]:
        length += 1
    return second.rows[length:]
