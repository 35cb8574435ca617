"""Find passages that look like an answer and are none: what the hub itself would show for a question of the material.

    python -m khub.eval.lab.reader.mine qa-train.jsonl.gz mined.jsonl.gz

Of each question that has a short answer these are the passages of its set that khub-fast finds nearest and in which the
answer does not stand.
"""

import argparse
import gzip
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from khub.components.embedders.model_folder import SHIPPED
from khub.components.embedders.static_model import StaticModel
from khub.eval.lab.models.corpus import read_lines

NEAREST, KEPT = 20, 3
SHORTEST_ANSWER = 2
AT_ONCE = 512


def mined(rows: Sequence[dict[str, Any]], model: StaticModel) -> Iterator[dict[str, Any]]:
    """Yield a row of each near miss that was found among the rows of one set and language."""
    asked = {r["question"]: r for r in rows if r["label"] == "answer" and len(r.get("answer") or "") >= SHORTEST_ANSWER}
    passages = list(dict.fromkeys(row["passage"] for row in rows))
    known = {(row["question"], row["passage"]) for row in rows}
    if not asked:
        return
    vectors = model.encode(passages)
    questions = list(asked)
    for start in range(0, len(questions), AT_ONCE):
        part = questions[start : start + AT_ONCE]
        cosines = model.encode(part) @ vectors.T
        for question, row in zip(part, cosines, strict=True):
            answer, found = asked[question]["answer"].casefold(), 0
            for place in np.argsort(-row)[:NEAREST].tolist():
                passage = passages[place]
                if answer in passage.casefold() or (question, passage) in known:
                    continue
                yield {**asked[question], "passage": passage, "label": "near_miss", "evidence": None, "how": "mined"}
                found += 1
                if found == KEPT:
                    break


def main() -> None:
    """Read rows and write those that were found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path)
    parser.add_argument("output", type=Path)
    arguments = parser.parse_args()
    sets: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in read_lines(arguments.rows):
        sets[row["set"], row["lang"]].append(row)
    model = StaticModel(SHIPPED / "khub-fast")
    with gzip.open(arguments.output, "wt", encoding="utf-8") as file:
        for rows in sets.values():
            for row in mined(rows, model):
                file.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
