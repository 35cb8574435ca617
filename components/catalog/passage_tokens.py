"""Tokens of a passage, sentence by sentence."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np


class Tokenizing(Protocol):
    """A model that has a row for each token that it knows."""

    def distinct_rows(self, texts: Sequence[str]) -> Sequence[np.ndarray]:
        """Return the rows of each text: int32, different and ascending."""
        ...


class PassageTokens(NamedTuple):
    """The known tokens of a passage, as rows of a static model.

    :param rows: int32, of one part after the other; within a part different and ascending.
    :param lengths: number of rows of each part: first of what stands above the passage (title, heading), which may be
        0, then of each of its sentences that has any.
    """

    rows: np.ndarray
    lengths: np.ndarray


def passage_tokens(model: Tokenizing, passages: Sequence[Sequence[str]]) -> list[PassageTokens]:
    """Return the tokens of passages.

    :param passages: what stands above each, and then its sentences (see `embedded_parts`).
    """
    rows = model.distinct_rows([part for parts in passages for part in parts])
    edges = np.cumsum([0, *map(len, passages)]).tolist()
    return [_joined(rows[start:end]) for start, end in pairwise(edges)]


def _joined(parts: Sequence[np.ndarray]) -> PassageTokens:
    head, *sentences = parts
    kept = [head, *filter(len, sentences)]
    return PassageTokens(np.concatenate(kept), np.array([len(part) for part in kept]))
