"""Measure a reader on the questions of `khub.eval.lab.answers`, beside the score of the hub's ranking.

    python -m khub.eval.lab.reader.on_answers FOLDER_OF_THE_MODEL HOME --half measure

HOME is the hub that `khub.eval.lab.answers.measure` has made.
"""

import argparse
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from khub.components.answer import Citation
from khub.eval.lab.answers.measure import COLLECTION, holds, is_of
from khub.eval.lab.answers.sets import Case, Half, read_cases
from khub.eval.lab.reader.material import Asked, Read
from khub.eval.lab.reader.measure import OnnxReader, area
from khub.server.hub import Hub

READ = 12
"""Passages of a question that are read, the first ones."""
WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.5, 1.0)


class Row(NamedTuple):
    """A question with its first passages: the ranking's score, the reader's logit, whether each answers."""

    scores: list[float]
    logits: list[float]
    right: list[bool]


def read_all(reader: OnnxReader, hub: Hub, cases: Sequence[Case]) -> Iterator[Row]:
    """Yield what ranking and reader say of each question's passages."""
    for case in cases:
        shown = hub.ask(case.text, COLLECTION, top_k=READ).citations
        asked = Asked(case.text, "", "answers", [], [])
        logits = [reader.judge(asked, Read(one.text, False, head=_head(one))).logit for one in shown]
        right = [any(is_of(one, place) and holds(one.text, place) for place in case.places) for one in shown]
        yield Row([one.score for one in shown], logits, right)


def _head(citation: Citation) -> str:
    path = [citation.title, *citation.section.split(" > ")]
    return " > ".join(step for place, step in enumerate(path) if step and step not in path[:place])


def first_right(rows: Sequence[Row], weight: float, among: int) -> float:
    """Return the share of questions with a passage that answers among the first, in the order of both together."""
    found = []
    for row in rows:
        worth = [
            (1 - weight) * score + weight / (1 + math.exp(-logit))
            for score, logit in zip(row.scores, row.logits, strict=True)
        ]
        best = sorted(range(len(worth)), key=lambda place: -worth[place])[:among]
        found.append(any(row.right[place] for place in best))
    return float(np.mean(found))


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("home", type=Path)
    parser.add_argument("--half", choices=("choose", "measure"), default="choose")
    arguments = parser.parse_args()
    half: Half = arguments.half
    reader, hub = OnnxReader(arguments.folder), Hub(arguments.home)
    rows = {kind: list(read_all(reader, hub, read_cases(kind, half))) for kind in ("plain", "para", "near")}
    answered = [*rows["plain"], *rows["para"]]
    for name in ("scores", "logits"):
        pairs = [(v, r) for row in answered for v, r in zip(getattr(row, name), row.right, strict=True)]
        of = area([v for v, r in pairs if r], [v for v, r in pairs if not r])
        best = [max(getattr(row, name)) for row in answered if any(row.right)]
        near = [max(getattr(row, name), default=0.0) for row in rows["near"]]
        print(f"{name}: area of passages {of:.3f}, of questions against near misses {area(best, near):.3f}")
    for weight in WEIGHTS:
        told = [f"{kind} {first_right(rows[kind], weight, n):.3f} @{n}" for kind in ("plain", "para") for n in (1, 5)]
        print(f"weight {weight}: {', '.join(told)}")


if __name__ == "__main__":
    main()
