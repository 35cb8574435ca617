"""Say the evidence of a passage in one line: a sentence as it is, a row of a table with the heads of its columns."""

import re
from itertools import takewhile

from khub.components.answer import Citation
from khub.components.answers.bold import LINE_HEAD
from khub.components.answers.highlight import IMAGE
from khub.components.text.time_marks import without_mark

CELL = re.compile(r"(?<!\\)\|")
RULE = re.compile(r"[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*")
ITEM = re.compile(r"(?:[-*+•·]|\(?\d{1,3}[.)、）])\s")
COLONS = (":", "：")
MOST_ITEMS = 5
MARKS = re.compile(r"\*\*|__|`")


def answer_line(citation: Citation) -> str:
    """Return the evidence of a passage on one line; empty where it has none.

    :returns: of a row `head: value; head: value`, the cells without a value left out; of a sentence that ends with a
        colon what it announces, too.
    """
    evidence = IMAGE.sub("", citation.evidence).strip()
    if evidence.startswith("|"):
        return _row(evidence, _heads(citation.text, citation.evidence))
    said = _on_one_line(without_mark(evidence) if citation.time_mark else evidence)  # it stands with the place
    return f"{said} {follows}" if said.endswith(COLONS) and (follows := _announced(citation)) else said


def _on_one_line(text: str) -> str:
    lines = (LINE_HEAD.sub("", line, count=1) for line in text.splitlines())
    return " ".join(MARKS.sub("", " ".join(lines)).split())


def _announced(citation: Citation) -> str:
    """Return what stands behind the evidence: the items of a list, or one line."""
    _, _, behind = citation.text.partition(citation.evidence)
    lines = [line.strip() for line in IMAGE.sub("", behind).splitlines() if line.strip(" *_")]
    items = list(takewhile(lambda line: ITEM.match(line) is not None, lines)) or lines[:1]
    whole = [_on_one_line(line) for line in items[:MOST_ITEMS] if not line.startswith(("#", "|"))]
    return "; ".join(line.rstrip(";；。.") for line in whole)


def _row(row: str, heads: list[str]) -> str:
    cells = _cells(row)
    heads = heads if len(heads) == len(cells) else [""] * len(cells)
    first = cells[0] if cells and cells[0] and not heads[0] else ""
    pairs = [
        f"{head}: {cell}" if head and head != cell else cell for head, cell in zip(heads, cells, strict=True) if cell
    ]
    return f"{first}: {'; '.join(pairs[1:])}" if first and len(pairs) > 1 else "; ".join(pairs)


def _heads(text: str, row: str) -> list[str]:
    """Return the heads of the columns of the table that a row stands in; none where the table has no rule."""
    before = text[: max(text.find(row), 0)].rstrip("\n").split("\n")
    for place in range(len(before) - 1, 0, -1):
        if RULE.fullmatch(before[place]):
            return _cells(before[place - 1])
        if not before[place].lstrip().startswith("|"):
            break
    return []


def _cells(row: str) -> list[str]:
    return [" ".join(MARKS.sub("", cell).split()) for cell in CELL.split(row.strip().strip("|"))]
