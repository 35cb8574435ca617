"""What was measured on the generated documents, as Markdown tables."""

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import Any

Row = dict[str, Any]

TITLE = "# How documents are read: headings, tables and reading order of generated PDFs"
NOTES = """\
Documents of known structure, printed as PDF (untagged) by two programs and read back. **headings**: tree edit
similarity of the headings' texts and levels, mean over documents. **ruled**, **unruled**: TEDS, mean over the true
tables, 0 for one that was not found; ruled are those with lines around every cell. **precision**: the sum of the
tables' TEDS over the number of tables found. **order**: edit similarity of the whole text, mean over documents.
**notes**: share of the footnotes found, wherever they stand."""


def summary(rows: Sequence[Row]) -> list[Row]:
    """Return the figures by program, language and engine, and over all.

    :param rows: from `measure`.
    """
    made = []
    renderers = [*dict.fromkeys(row["renderer"] for row in rows), None]
    languages = [*dict.fromkeys(row["language"] for row in rows), None]
    for renderer in renderers:
        for language in languages:
            for engine in dict.fromkeys(row["engine"] for row in rows):
                chosen = [
                    row
                    for row in rows
                    if row["engine"] == engine and renderer in {row["renderer"], None}
                    and language in {row["language"], None}
                ]  # fmt: skip
                names = {"program": renderer or "all", "language": language or "all", "engine": engine}
                if chosen:
                    made.append({**names, **_figures(chosen)})
    return made


def _figures(rows: Sequence[Row]) -> Row:
    tables = [table for row in rows for table in row["tables"]]
    found = sum(row["tables_found"] for row in rows)
    notes = sum(row["notes"] for row in rows)
    return {
        "documents": len(rows),
        "headings": _mean(row["headings"] for row in rows),
        "ruled": _mean(table["similarity"] for table in tables if table["ruled"]),
        "unruled": _mean(table["similarity"] for table in tables if not table["ruled"]),
        "precision": round(sum(table["similarity"] for table in tables) / found, 3) if found else None,
        "order": _mean(row["order"] for row in rows),
        "notes": round(sum(row["notes_found"] for row in rows) / notes, 3) if notes else None,
        "failed": sum(bool(row["error"]) for row in rows),
    }


def structure_report(rows: Sequence[Row]) -> str:
    """Return the tables of all figures."""
    return "\n\n".join((NOTES, *(markdown_table(part(rows)) for part in (summary, table_kinds, layouts))))


def table_kinds(rows: Sequence[Row]) -> list[Row]:
    """Return TEDS by what is special about a table and by its lines, for each engine."""
    return _split(rows, "table", lambda table: (table["kind"], table["ruling"]))


def layouts(rows: Sequence[Row]) -> list[Row]:
    """Return headings and reading order by the number of columns, for each engine."""
    made = []
    keys: dict[str, Callable[[Row], bool]] = {
        "one column": lambda row: row["columns"] == 1,
        "two columns": lambda row: row["columns"] == 2,
    }
    for name, fits in keys.items():
        for engine in dict.fromkeys(row["engine"] for row in rows):
            chosen = [row for row in rows if row["engine"] == engine and fits(row)]
            if chosen:
                figures = _figures(chosen)
                made.append({
                    "layout": name, "engine": engine,
                    **{key: figures[key] for key in ("documents", "headings", "ruled", "unruled", "order")},
                })  # fmt: skip
    return made


def each(rows: Sequence[Row]) -> list[Row]:
    """Return the figures of each document."""
    return [
        {
            "document": row["name"], "program": row["renderer"], "engine": row["engine"],
            "headings": round(row["headings"], 3), "tables": _mean(table["similarity"] for table in row["tables"]),
            "found": f"{row['tables_found']} of {len(row['tables'])}", "order": round(row["order"], 3),
            "error": row["error"],
        }
        for row in rows
    ]  # fmt: skip


def _split(rows: Sequence[Row], name: str, key: Callable[[Row], tuple[str, str]]) -> list[Row]:
    engines = list(dict.fromkeys(row["engine"] for row in rows))
    groups = sorted({key(table) for row in rows for table in row["tables"]})
    made = []
    for group in groups:
        scores = {
            engine: [table["similarity"] for row in rows if row["engine"] == engine for table in row["tables"]
                     if key(table) == group]
            for engine in engines
        }  # fmt: skip
        made.append({
            name: group[0], "lines": group[1], "tables": len(scores[engines[0]]),
            **{engine: _mean(values) for engine, values in scores.items()},
        })  # fmt: skip
    return made


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return round(fmean(listed), 3) if listed else None


def markdown_table(rows: Sequence[Row]) -> str:
    """Return rows of the same keys as a Markdown table."""
    if not rows:
        return "nothing"
    keys = list(rows[0])
    lines = [keys, ["---:" if isinstance(rows[0][key], int | float) else "---" for key in keys]]
    lines += [[_shown(row[key]) for key in keys] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
