"""Drafts on their way through JSON, with no more than is needed of a draft whose page is done."""

from dataclasses import asdict
from typing import Any

from khub.components.converters.pdf.drafts import Draft
from khub.components.converters.pdf.layout import Figure, Segment, Word
from khub.components.converters.pdf.lines import Line
from khub.components.converters.pdf.tables import Table


def draft_to_list(draft: Draft) -> list[Any]:
    """Return what JSON can hold."""
    return [
        draft.kind,
        draft.page,
        draft.box,
        [_line_to_list(line, draft.kind == "code") for line in draft.lines],
        draft.hard,
        _table_to_list(draft.table) if draft.table else None,
        asdict(draft.figure) if draft.figure else None,
        draft.level,
        draft.indent,
        draft.number,
    ]


def draft_from_list(fields: list[Any]) -> Draft:
    """Build it from what `draft_to_list` returned, even after a way through JSON."""
    kind, page, box, lines, hard, table, figure, *rest = fields
    return Draft(
        kind,
        page,
        tuple(box),
        [_line_from_list(line) for line in lines],
        hard,
        Table(table[0], tuple(table[1]), *table[2:]) if table else None,
        Figure(**{**figure, "box": tuple(figure["box"])}) if figure else None,
        *rest,
    )


def _table_to_list(table: Table) -> list[Any]:
    return [table.rows, table.box, table.edges, table.bold_header, table.repeated_header]


def _line_to_list(line: Line, is_code: bool) -> list[Any]:
    words = line.words
    # The places of words matter in code only, and the words by themselves where one is a link or raised.
    whole = not is_code and not any(word.uri or word.raised for word in words)
    said = [Word(line.text, line.x0, line.x1, spaced=False)] if whole else words
    return [
        said,
        line.x0,
        line.top,
        line.x1,
        line.bottom,
        line.baseline,
        line.size,
        line.bold,
        line.mono,
        line.segments[0].angle,
        line.italic,
    ]


def _line_from_list(fields: list[Any]) -> Line:
    words, *rest = fields
    return Line([Segment([Word(*word) for word in words], *rest)])
