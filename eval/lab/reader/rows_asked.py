"""Ask for a row of a table or a line of a form: the row beside it, or the passage without it, does not answer."""

import random
import re
from collections.abc import Iterable, Iterator

from khub.eval.lab.reader.material import Asked, Read

LEAST_ROWS = 3
LINE = re.compile(r"[-*\d.、 ]*(?P<label>[^-*\d.、 :：|\n][^:：|\n]{1,29})[:：]\s*(?P<value>\S.{0,80})")
HAN = re.compile(r"[一-鿿]")
ENGLISH = (
    "What is the {}?", "{}?", "How much is {}?", "What was the amount of {}?", "{} {}", "What does it say for {}?",
    "What was {} in {}?", "How high was {} in {}?",
)  # fmt: skip
CHINESE = ("{}是多少？", "{}是什么？", "{}", "请问{}？", "{}怎么填写？", "{1}年的{0}是多少？", "{1}{0}", "{}为多少")
MARKDOWN = 0.6
"""Share of tables that are written as the hub writes them, with a rule below the head."""


class _Row:
    def __init__(self, text: str, label: str, columns: list[str]) -> None:
        self.text, self.label, self.columns = text, label, columns


def rows_asked(passages: Iterable[str], source: str, seed: int) -> Iterator[Asked]:
    """Yield a question for a row of each passage that has a table or a form."""
    draw = random.Random(seed)
    for passage in dict.fromkeys(passages):
        written, rows = _table(passage, draw) if passage.count("|") >= LEAST_ROWS else (passage, _lines(passage))
        fitting = [row for row in rows if passage.count(row.label) == 1]
        if len(fitting) < LEAST_ROWS:
            continue
        for row in draw.sample(fitting, min(3, len(fitting))):
            question = _question(row, draw)
            without = written.replace(row.text, "")
            others = [Read(without, False, how="row cut")]
            yield Asked(
                question, "zh" if HAN.search(written) else "en", source, [Read(written, True, row.text)], others
            )


def _lines(passage: str) -> list[_Row]:
    found = [LINE.fullmatch(line.strip()) for line in passage.split("\n")]
    return [_Row(one[0], one["label"].strip(), []) for one in found if one]


def _table(passage: str, draw: random.Random) -> tuple[str, list[_Row]]:
    lines = [line.strip() for line in passage.split("\n")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    if draw.random() < MARKDOWN:
        lines = [f"| {' | '.join(row)} |" if len(row) > 1 else row[0] for row in cells]
        first = next(n for n, row in enumerate(cells) if len(row) > 1)
        rule = "|" + " --- |" * len(cells[first])
    else:
        first, rule = 0, ""
    columns = [cell for row in cells[:3] for cell in row[1:] if cell and any(c.isdigit() for c in cell)]
    rows = [
        _Row(line, row[0], columns)
        for line, row in zip(lines, cells, strict=True)
        if len(row) > 1 and len(row[0]) > 2 and any(c.isdigit() for c in "".join(row[1:]))
    ]
    written = [*lines[: first + 1], rule, *lines[first + 1 :]] if rule else lines
    return "\n".join(written), rows


def _question(row: _Row, draw: random.Random) -> str:
    chinese = bool(HAN.search(row.label))
    form = draw.choice(CHINESE if chinese else ENGLISH)
    two = "{1}" in form or form.count("{}") > 1
    if two and not row.columns:
        form, two = ("{}是多少？" if chinese else "What is the {}?"), False
    label = row.label if chinese else row.label[0].lower() + row.label[1:]
    return form.format(label, draw.choice(row.columns)) if two else form.format(label)
