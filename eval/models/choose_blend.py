"""Measure how much the static model should count beside the encoder, on text that was left out of training.

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
from eval.models.development import Encode, RetrievalSet, development_sets, score
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
    asked = people_sets(held, read_questions())
    vectors = Vectors(OnnxModel(arguments.encoder), StaticModel(arguments.static), [*asked, *sets])
    sys.stdout.write(f"{table(vectors, asked)}\n\n{table(vectors, sets)}\n")


if __name__ == "__main__":
    main()
