"""Measure a reader on questions that it was not trained on: what it tells apart, where it points, what it costs.

python -m khub.eval.lab.reader.measure FOLDER_OF_THE_MODEL qa-dev.jsonl.gz
"""

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from onnxruntime import InferenceSession, SessionOptions
from scipy.stats import mannwhitneyu
from tokenizers import Tokenizer

from khub.eval.lab.reader.encoded import Pair, encode
from khub.eval.lab.reader.export import READER, inputs_of
from khub.eval.lab.reader.material import Asked, Read, read_material
from khub.eval.lab.reader.rows import BASE

QUESTIONS = 150
"""Of each language and set at most."""
THREADS = 2


class Judged(NamedTuple):
    """A pair as the reader judged it; `pointed` is whether the first token lies in the evidence, None without one."""

    asked: Asked
    read: Read
    logit: float
    pointed: bool | None


class OnnxReader:
    """Runs an exported reader on one pair at a time."""

    def __init__(self, folder: Path) -> None:
        options = SessionOptions()
        options.intra_op_num_threads = THREADS
        self._session = InferenceSession(folder / READER, options)
        self._tokenizer = Tokenizer.from_file(str(BASE / "tokenizer.json"))

    def judge(self, asked: Asked, read: Read) -> Judged:
        """Read a question and a passage."""
        pair: Pair = encode(self._tokenizer, asked.question, read)
        logits, ends = self._session.run(["answers", "ends"], inputs_of(pair))
        first = pair.question + int(ends[0, pair.question :, 0].argmax())
        pointed = pair.span[0] <= first <= pair.span[1] if pair.span else None
        return Judged(asked, read, float(logits[0, 0]), pointed)


def chosen(asked: Sequence[Asked]) -> list[Asked]:
    """Return some questions of each language and set."""
    groups: dict[tuple[str, str], list[Asked]] = defaultdict(list)
    for one in random.Random(2).sample(list(asked), len(asked)):
        groups[one.lang, one.source].append(one)
    return [one for group in groups.values() for one in group[:QUESTIONS]]


def area(answers: Sequence[float], others: Sequence[float]) -> float:
    """Return the share of pairs of an answer and another whose answer has the higher logit."""
    return float(mannwhitneyu(answers, others).statistic / (len(answers) * len(others)))


def table(judged: Sequence[Judged]) -> Iterator[str]:
    """Yield a line for each language: areas by what the other passages are, and how often it points right."""
    for lang in sorted({one.asked.lang for one in judged}):
        of = [one for one in judged if one.asked.lang == lang]
        answers = [one.logit for one in of if one.read.answers]
        kinds = sorted({one.read.how for one in of if not one.read.answers})
        areas = {kind: [one.logit for one in of if not one.read.answers and one.read.how == kind] for kind in kinds}
        said = ", ".join(f"{kind} {area(answers, others):.3f} ({len(others)})" for kind, others in areas.items())
        pointed = [one.pointed for one in of if one.pointed is not None]
        right = np.mean(pointed) if pointed else np.nan
        yield f"{lang}: {len(answers)} answers; {said}; points right {right:.3f} ({len(pointed)})"


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("qa", type=Path)
    arguments = parser.parse_args()
    reader = OnnxReader(arguments.folder)
    started = time.process_time()
    judged = [
        reader.judge(one, read) for one in chosen(read_material([arguments.qa])) for read in (*one.answers, *one.others)
    ]
    spent = (time.process_time() - started) / len(judged)
    for line in table(judged):
        print(line)
    print(f"{spent * 1000:.1f} ms of processor time a pair")


if __name__ == "__main__":
    main()
