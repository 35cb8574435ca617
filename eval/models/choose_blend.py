"""Measure how much the static model should count beside the encoder, on text that was left out of training.

The weight is chosen on questions that were written by hand, for text that neither model was trained on the like of:
another documentation, and the handbook. It is the smallest whose mean is at most one standard error behind the best
one's (the "1 SE rule": Breiman et al., "Classification and Regression Trees", 1984). Sets of news are measured, too,
but do not decide: the static model learnt its words from news of the same papers.

`python -m eval.models.choose_blend --help` names what it needs.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from components.embedders.model_folder import EmbeddingModel
from components.embedders.onnx_model import OnnxModel
from components.embedders.static_model import StaticModel
from eval.models.corpus import add_corpus_options, read_corpus
from eval.models.development import Encode, RetrievalSet, development_sets, gains, score
from eval.models.handbook_questions import handbook_sets
from eval.models.people_questions import people_sets, read_questions

WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0)


class Vectors:
    """The vectors of all texts of the sets by both models, computed once."""

    def __init__(self, encoder: EmbeddingModel, static: EmbeddingModel, sets: Sequence[RetrievalSet]) -> None:
        texts = list(dict.fromkeys(text for data in sets for text in (*data.queries, *data.passages)))
        self._places = {text: place for place, text in enumerate(texts)}
        self._encoder, self._static = encoder.encode(texts), static.encode(texts)

    def blended(self, weight: float) -> Encode:
        """Return what gives texts their vectors: the encoder's and `weight` times the static model's, added."""
        return self._lookup(self._encoder + np.float32(weight) * self._static)

    def static(self) -> Encode:
        """Return what gives texts the static model's vectors."""
        return self._lookup(self._static)

    def _lookup(self, vectors: np.ndarray) -> Callable[[list[str]], np.ndarray]:
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return lambda texts: unit[[self._places[text] for text in texts]]


def table(vectors: Vectors, sets: Sequence[RetrievalSet]) -> str:
    """Return a Markdown table of nDCG@10: one row for each weight, and one for the static model alone."""
    rows = [(f"{weight:g}", score(vectors.blended(weight), list(sets))) for weight in WEIGHTS]
    rows.append(("static alone", score(vectors.static(), list(sets))))
    names = list(rows[0][1])
    lines = ["| weight | " + " | ".join(names) + " |", "| --- |" + " ---: |" * len(names)]
    return "\n".join(
        lines + [f"| {row} | " + " | ".join(f"{scores[n]:.1f}" for n in names) + " |" for row, scores in rows]
    )


def chosen_weight(vectors: Vectors, sets: Sequence[RetrievalSet]) -> tuple[float, dict[float, tuple[float, float]]]:
    """Return the smallest weight that is at most one standard error behind the best.

    :returns: the weight; and for each weight how far its mean over the sets is behind the best one's, in points, with
        the standard error of that difference, whose queries are paired.
    """
    found = {weight: [gains(vectors.blended(weight), data) for data in sets] for weight in WEIGHTS}
    best = max(WEIGHTS, key=lambda weight: float(np.mean([part.mean() for part in found[weight]])))
    behind = {}
    for weight in WEIGHTS:
        lost = [100 * (b - own) for b, own in zip(found[best], found[weight], strict=True)]
        error = np.sqrt(sum(part.var(ddof=1) / len(part) for part in lost)) / len(lost)
        behind[weight] = (float(np.mean([part.mean() for part in lost])), float(error))
    return min(weight for weight, (lost, error) in behind.items() if lost <= error), behind


def main() -> None:
    """Read the left-out text, embed it twice, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_corpus_options(parser)
    parser.add_argument("--encoder", type=Path, required=True, help="folder of the ONNX model")
    parser.add_argument("--static", type=Path, required=True, help="folder of the static model")
    parser.add_argument("--most", type=int, default=1000, help="passages of each set made by rule")
    arguments = parser.parse_args()

    _, held = read_corpus(arguments)
    sets = [data._replace(passages=data.passages[: arguments.most]) for data in development_sets(held)]
    sets = [data._replace(queries=data.queries[: len(data.passages)]) for data in sets]
    people = people_sets(held, read_questions())
    deciding = [*(data for data in people if data.name.startswith("people-docs")), *handbook_sets()]
    sets = [*(data for data in people if data not in deciding), *sets]
    vectors = Vectors(OnnxModel(arguments.encoder), StaticModel(arguments.static), [*deciding, *sets])
    weight, behind = chosen_weight(vectors, deciding)
    differences = ", ".join(f"{w:g}: {lost:.1f} ± {error:.1f}" for w, (lost, error) in behind.items())
    sys.stdout.write(f"{table(vectors, deciding)}\n\n{table(vectors, sets)}\n\n")
    sys.stdout.write(
        f"Behind the best on the first table, points ± standard error: {differences}\nChosen: {weight:g}\n"
    )


if __name__ == "__main__":
    main()
