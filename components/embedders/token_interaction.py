"""How well each token of a question is met somewhere in a passage: late interaction over static token vectors."""

from collections.abc import Sequence

import numpy as np

from components.embedders.static_model import StaticModel

MET = 0.3
"""Cosine below which a token of the question has no counterpart in the passage: unrelated words reach it seldom."""

ONE_THREAD = 262_144
"""Multiplications up to which OpenBLAS, which numpy multiplies matrices with, does not call further threads in."""


class TokenInteraction:
    """Compares a question with passages token by token.

    The score of a passage is the weighted mean, over the question's distinct tokens, of the greatest cosine that any
    token of the passage has with it: MaxSim of O. Khattab and M. Zaharia, *ColBERT* (SIGIR 2020), here over the rows of
    a static model, which cost no encoder to look up, and with the model's own weights, which are low for frequent
    words. A token of another language counts by what it means, as far as the model's rows of both languages agree.

    :param model: the model whose rows are compared. One object may be used from several threads.
    """

    def __init__(self, model: StaticModel) -> None:
        self._model = model

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits; two models with the same fingerprint give the same tokens."""
        return self._model.fingerprint

    def tokens(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Return the distinct known tokens of each text, as rows of the model, ascending."""
        return self._model.distinct_rows(texts)

    def scores(self, question: np.ndarray, passages: Sequence[np.ndarray]) -> np.ndarray:
        """Score passages.

        :param question: tokens of the question, from `tokens`.
        :param passages: tokens of each passage, from `tokens`.
        :returns: float32, one score for each passage, from -1 to 1; 0 where either side has no token.
        """
        return self.match(question, passages)[0]

    def match(self, question: np.ndarray, passages: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Score passages, and say how much of the question is met nowhere in them.

        :param question: tokens of the question, from `tokens`.
        :param passages: tokens of each passage, from `tokens`.
        :returns: two float32 arrays, one number for each passage: the scores of `scores`, and the share of the
            question's weight on tokens whose greatest cosine is below `MET` (1 where either side has no token).
        """
        scores = np.zeros(len(passages), dtype=np.float32)
        unmet = np.ones(len(passages), dtype=np.float32)
        lengths = np.array([len(tokens) for tokens in passages], dtype=np.intp)
        weights = self._model.row_weights(question)
        if not weights.sum() > 0 or not lengths.any():
            return scores, unmet
        # a word that stands in many passages is compared once
        rows, places = _distinct(np.concatenate(passages))
        cosines = self._cosines(rows, self._model.unit_rows(question))
        filled = np.flatnonzero(lengths)
        starts = np.cumsum(lengths) - lengths
        greatest = np.maximum.reduceat(cosines.take(places, axis=0), starts[filled], axis=0)
        shares = weights / weights.sum()
        scores[filled], unmet[filled] = greatest @ shares, (greatest < MET) @ shares
        return scores, unmet

    def _cosines(self, rows: np.ndarray, question: np.ndarray) -> np.ndarray:
        """Return (rows, question's tokens), a part of the rows after the other.

        The threads that a matrix library calls in for the whole wait actively for each other: on a busy machine that
        takes many times as long as the products, which are done in a fraction of a millisecond.
        """
        found = np.empty((len(rows), len(question)), dtype=np.float32)
        step = max(1, ONE_THREAD // question.size)
        for start in range(0, len(rows), step):
            np.matmul(self._model.float_rows(rows[start : start + step]), question.T, out=found[start : start + step])
        # fewer numbers to divide than the rows have
        found /= self._model.row_lengths(rows)[:, None]
        return found


def _distinct(tokens: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the different tokens, ascending, and the place of each token among them; `np.unique` would sort."""
    met = np.zeros(int(tokens.max()) + 1, dtype=bool)
    met[tokens] = True
    rows = np.flatnonzero(met)
    places = np.empty(len(met), dtype=np.intp)
    places[rows] = np.arange(len(rows))
    return rows, places[tokens]
