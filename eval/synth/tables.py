"""Rule: cells of tables."""

import re
from collections.abc import Iterator

from khub.components.text.language import detect_language
from khub.eval.synth.draft import Draft
from khub.eval.synth.source_text import Row, SourceText

RULE = "table cell"
CODE = re.compile(r"(?:[^\W\d]|[./-])*+\d[\w./-]*+")
CLAUSE = re.compile(r"(?:who|what|where|when|how|which|why)\b", re.IGNORECASE)
NUMERIC = re.compile(r"[\d.,%\s-]+")
LONGEST_KEY = 60


def table_cells(text: SourceText) -> Iterator[Draft]:
    """Draft a question for each row of a table: what stands under one of its columns, by turns."""
    keys = [row.cells[0][1] for row in text.rows if row.cells]
    for number, row in enumerate(text.rows):
        if (
            len(row.cells) < 2
            or keys.count(row.cells[0][1]) > 1
            or row.cells[0][1][-1] in "?？"
            or len(row.cells[0][1]) > LONGEST_KEY
        ):
            continue
        yield _draft(text, row, 1 + number % (len(row.cells) - 1))


def _draft(text: SourceText, row: Row, column: int) -> Draft:
    (key_name, key), (name, value) = row.cells[0], row.cells[column]
    code = bool(CODE.fullmatch(key))
    language = "zh" if detect_language(f"{key_name} {name}") == "zh" else "en"
    if language == "zh":
        subject = f"{key_name}{' ' if code else '“'}{key}{'' if code else '”'}" if code else key
        question = f"{subject}{' ' if code else ''}的{name}是{'多少' if NUMERIC.fullmatch(value) else '什么'}？"
    else:
        subject = f"{_small(key_name)} {key}" if code else key
        asked = f"{subject}: {_small(name).rstrip('?')}?"  # the column is called by a question
        question = asked if CLAUSE.match(name) else f"What is the {_small(name)} of {subject}?"
    kind = "identifier" if code and not NUMERIC.fullmatch(key) else "table"
    return Draft(question, language, kind, value, text.source, row.piece.page, row.piece.text, RULE)


def _small(name: str) -> str:
    first, gap, others = name.partition(" ")
    return f"{first.lower()}{gap}{others}" if first[1:].islower() else name
