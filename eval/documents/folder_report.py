"""What happened to the files of a folder, as Markdown."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from eval.documents.report import markdown_table

Row = dict[str, Any]
_ACCOUNTED = {True: "yes", False: "NO", None: "–"}


def pages_report(rows: Sequence[Row]) -> str:
    """Return a table of PDF files and what they come to together."""
    table = [
        {
            "file": row["file"], "outcome": row["outcome"], "pages": row.get("pages"),
            "accounted": _ACCOUNTED[row.get("accounted")], "OCR": row.get("needs_ocr"),
            "seconds": row.get("seconds"), "CPU s": row.get("cpu_s"), "peak MB": row.get("peak_mb"),
            "words": row.get("words"),
            "missing": row.get("missing"), "removed": row.get("removed"), "found": row.get("words_found"),
            "note": _cell(row.get("error", "") or " ".join(row.get("most_missing", {}))),
        }
        for row in rows
    ]  # fmt: skip
    read = [row for row in rows if row["outcome"] == "read"]
    pages = sum(row.get("pages", 0) for row in read)
    seconds, worked = (sum(row[key] for row in read) for key in ("seconds", "cpu_s"))
    words = sum(row.get("words", 0) for row in read)
    lacking = sum(max(0, row.get("missing", 0) - row.get("removed", 0)) for row in read)
    lines = [
        f"{_outcomes(rows)}. {pages:,} pages in {seconds:.1f} s, {worked:.1f} s of it CPU time"
        + (f" ({pages / worked:.0f} pages/s of CPU time)" if worked else "")
        + f"; peak memory {max((row.get('peak_mb', 0) for row in rows), default=0):,} MB.",
        f"Words of PDFium's own text found, not counting removed ones: {1 - lacking / words:.4f} of {words:,}; "
        f"files below 0.99: {sum((row.get('words_found') or 1) < 0.99 for row in read)}; files with a page that is not "
        f"accounted for: {sum(row.get('accounted') is False for row in read)}."
        if words
        else "No words.",
    ]
    return "\n".join(lines) + "\n\n" + markdown_table(table)


def bad_report(rows: Sequence[Row]) -> str:
    """Return a table of files and how each ended."""
    table = [
        {
            "file": row["file"], "outcome": row["outcome"], "seconds": row.get("seconds"), "CPU s": row.get("cpu_s"),
            "peak MB": row.get("peak_mb"), "characters": row.get("characters"), "message": _cell(row.get("error", "")),
        }
        for row in rows
    ]  # fmt: skip
    return f"{_outcomes(rows)}.\n\n{markdown_table(table)}"


def _outcomes(rows: Sequence[Row]) -> str:
    counted = Counter(row["outcome"] for row in rows)
    return f"{len(rows)} files: " + ", ".join(
        f"{counted[name]} {name}" for name in ("read", "failure", "crash", "hang")
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")[:160]
