"""Read the pages that were written down by an engine, and compare."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

from khub.eval.lab.documents.read_markdown import read_markdown
from khub.eval.lab.documents.real.page_engines import PageEngine, text_layer
from khub.eval.lab.documents.real.page_text import headings_found, out_of_place, words_lost
from khub.eval.lab.documents.real.table_rows import RowFigures, row_figures
from khub.eval.lab.documents.real.written_page import WrittenPage

Row = dict[str, Any]


def measure(pages: Sequence[WrittenPage], find: Callable[[str], Path | None], engine: PageEngine) -> list[Row]:
    """Return counts for each page whose file is there.

    :param pages: as they were written down.
    :param find: document -> its file; None where it is not there.
    :param engine: reads them.
    """
    rows: list[Row] = []
    for document in dict.fromkeys(page.document for page in pages):
        if file := find(document):
            of_document = [page for page in pages if page.document == document]
            rows += _measured(of_document, file, engine)
    return rows


def _measured(pages: Sequence[WrittenPage], file: Path, engine: PageEngine) -> Iterable[Row]:
    numbers = [page.number for page in pages]
    try:
        read = engine(file, numbers)
    except Exception as error:  # whatever a reader raises, its pages are lost
        return [_counts(page, "", "") | {"error": f"{type(error).__name__}: {error}"[:200]} for page in pages]
    layers = text_layer(file, numbers)
    return [_counts(page, read[page.number], layers[page.number]) for page in pages]


def _counts(page: WrittenPage, markdown: str, layer: str) -> Row:
    wanted = [heading.text for heading in page.content.headings]
    came = [heading.text for heading in read_markdown(markdown).headings]
    words, lost = words_lost(layer, page.furniture, markdown)
    blocks, moved = out_of_place(page.anchors(), markdown)
    figures = row_figures(page.content, markdown)
    return {
        "document": page.document, "page": page.number, "half": page.half, "error": "",
        "tables": len(page.content.grids),
        "headings": len(wanted), "headings_found": headings_found(wanted, came), "headings_came": len(came),
        "words": words, "words_lost": lost, "blocks": blocks, "moved": moved,
        **{field.name: value for field, value in zip(fields(RowFigures), astuple(figures), strict=True)},
    }  # fmt: skip


def summary(rows: Sequence[Row]) -> Row:
    """Return the figures over pages, each a share of all that was counted on them.

    :param rows: from `measure`, of one engine.
    """
    total = {key: sum(row[key] for row in rows) for key in rows[0] if isinstance(rows[0][key], int) and key != "page"}
    with_tables = [row for row in rows if row["rows"]]
    return {
        "pages": len(rows),
        "tables": total["tables"],
        "rows right": _share(total["rows_right"], total["rows"]),
        "cells right": _share(total["cells_right"], total["cells"]),
        "label beside number": _share(total["pairs_right"], total["pairs"]),
        "pages with a fused row": _share(sum(row["fused"] > 0 for row in with_tables), len(with_tables)),
        "headings: precision": _share(total["headings_found"], total["headings_came"]),
        "headings: recall": _share(total["headings_found"], total["headings"]),
        "words lost": _share(total["words_lost"], total["words"]),
        "blocks out of place": _share(total["moved"], total["blocks"]),
        "failed": sum(bool(row["error"]) for row in rows),
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None
