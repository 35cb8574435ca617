"""How well each token of a question is met somewhere in a passage: late interaction over static token vectors."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from khub.components.catalog.passage_tokens import PassageTokens, passage_tokens
from khub.components.embedders.static_model import StaticModel

MET = 0.3
"""Cosine below which a token of the question has no counterpart in the passage: unrelated words reach it seldom."""

LENGTH_PENALTY = 0.03
"""Of a score, for each natural logarithm of the number of tokens: the greatest of many cosines is greater by chance."""

ONE_THREAD = 262_144
"""Multiplications up to which OpenBLAS, which numpy multiplies matrices with, does not call further threads in."""


class Matches(NamedTuple):
    """How well passages meet a question, float32, one number for each.

    :param scores: of the whole passage, from -1 to 1, less `LENGTH_PENALTY`; 0 where either side has no token.
    :param unmet: the share of the question's weight on tokens whose greatest cosine is below `MET`; 1 where either side
        has no token.
    :param sentence_scores: the best score of a single sentence, together with what stands above the passage; that of
        the whole where it has no sentence.
    :param sentence_unmet: the least share that is unmet in a single sentence, likewise.
    """

    scores: np.ndarray
    unmet: np.ndarray
    sentence_scores: np.ndarray
    sentence_unmet: np.ndarray


class TokenInteraction:
    """Compares a question with passages token by token.

    The score of a passage is the weighted mean, over the question's distinct tokens, of the greatest cosine that any
    token of the passage has with it: MaxSim of O. Khattab and M. Zaharia, *ColBERT* (SIGIR 2020), here over the rows of
    a static model, which cost no encoder to look up, and with the model's own weights, which are low for frequent
    words. A token of another language counts by what it means, as far as the model's rows of both languages agree.
    Words that stand together in a sentence say more than the same words here and there in a passage: `match` tells of
    both.

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

    def passages(self, passages: Sequence[Sequence[str]]) -> list[PassageTokens]:
        """Return the tokens of passages, each given in parts (see `embedded_parts`)."""
        return passage_tokens(self._model, passages)

    def scores(self, question: np.ndarray, texts: Sequence[np.ndarray]) -> np.ndarray:
        """Score texts.

        :param question: tokens of the question, from `tokens`.
        :param texts: tokens of each text, from `tokens`.
        :returns: float32, one score for each text, from -1 to 1; 0 where either side has no token.
        """
        lengths = np.array([len(tokens) for tokens in texts], dtype=np.intp)
        shares = self._shares(question)
        if not shares.any() or not lengths.any():
            return np.zeros(len(texts), dtype=np.float32)
        greatest = self._greatest(question, np.concatenate(texts), lengths)
        return np.where(lengths > 0, greatest @ shares, np.float32(0))

    def match(self, question: np.ndarray, passages: Sequence[PassageTokens]) -> Matches:
        """Compare a question with passages, whole and sentence by sentence.

        :param question: tokens of the question, from `tokens`.
        :param passages: from `passages`.
        """
        shares = self._shares(question)
        if not shares.any() or not any(len(passage.rows) for passage in passages):
            nothing, all_ = np.zeros(len(passages), dtype=np.float32), np.ones(len(passages), dtype=np.float32)
            return Matches(nothing, all_, nothing, all_)
        lengths = np.concatenate([passage.lengths for passage in passages])
        greatest = self._greatest(question, np.concatenate([passage.rows for passage in passages]), lengths)
        sentences = np.array([len(passage.lengths) - 1 for passage in passages])
        heads = np.cumsum(sentences + 1) - (sentences + 1)
        scores, unmet = _counted(np.maximum.reduceat(greatest, heads, axis=0), np.add.reduceat(lengths, heads), shares)
        best, least = scores.copy(), unmet.copy()
        if sentences.any():
            above = np.repeat(heads, sentences)
            behind = np.delete(np.arange(len(lengths)), heads)
            alone = _counted(np.maximum(greatest[behind], greatest[above]), lengths[behind] + lengths[above], shares)
            starts = (np.cumsum(sentences) - sentences)[sentences > 0]
            best[sentences > 0] = np.maximum.reduceat(alone[0], starts)
            least[sentences > 0] = np.minimum.reduceat(alone[1], starts)
        return Matches(scores, unmet, best, least)

    def _shares(self, question: np.ndarray) -> np.ndarray:
        """Return the share of each token of the question in its weight; zeros where it has none."""
        weights = self._model.row_weights(question)
        total = weights.sum()
        return weights / total if total > 0 else np.zeros_like(weights)

    def _greatest(self, question: np.ndarray, tokens: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        """Return, for each part, the greatest cosine with each token of the question; -1 where it has no token.

        :param tokens: of all parts, one after the other.
        :param lengths: of the parts.
        """
        # a word that stands in many parts is compared once
        rows, places = _distinct(tokens)
        cosines = self._cosines(rows, self._model.unit_rows(question))
        greatest = np.full((len(lengths), len(question)), -1, dtype=np.float32)
        filled = np.flatnonzero(lengths)
        starts = np.cumsum(lengths) - lengths
        greatest[filled] = np.maximum.reduceat(cosines.take(places, axis=0), starts[filled], axis=0)
        return greatest

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


def _counted(greatest: np.ndarray, lengths: np.ndarray, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the score of each, and the share that is unmet.

    :param greatest: (number of texts, tokens of the question).
    :param lengths: number of tokens of each text.
    """
    scores = greatest @ shares - np.float32(LENGTH_PENALTY) * np.log(np.maximum(lengths, 1), dtype=np.float32)
    return np.where(lengths > 0, scores, np.float32(0)), (greatest < MET) @ shares


def _distinct(tokens: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the different tokens, ascending, and the place of each token among them; `np.unique` would sort."""
    met = np.zeros(int(tokens.max()) + 1, dtype=bool)
    met[tokens] = True
    rows = np.flatnonzero(met)
    places = np.empty(len(met), dtype=np.intp)
    places[rows] = np.arange(len(rows))
    return rows, places[tokens]
