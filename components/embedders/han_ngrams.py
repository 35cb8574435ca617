"""Which rows of a static model belong to the Chinese part of a text: its characters and its known pairs of them."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

BASIC_PLANE = 0x10000
HAN_RANGES = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF))
UNKNOWN = -1
NO_HAN = -2
BLANK = 0x20


class HanNgrams:
    """Finds characters and pairs of neighbouring characters, all of them, overlapping, without a segmenter.

    A pair stands for a word of two characters, or a part of a longer one; the character is what is left for a word that
    the model has never seen. Everything is array lookups, because a loop over characters would cost more than the rest
    of the embedding.

    :param characters: code points of the known characters, (n,).
    :param bigrams: known pairs, (m, 2) code points.
    :param folding: characters to replace before the lookup (traditional ones, full-width Latin) and their
        replacements, (k, 2) code points.
    """

    def __init__(self, characters: np.ndarray, bigrams: np.ndarray, folding: np.ndarray) -> None:
        self._fold = np.arange(BASIC_PLANE, dtype=np.uint32)
        self._fold[folding[:, 0]] = folding[:, 1]
        han = np.zeros(BASIC_PLANE, dtype=bool)
        for first, last in HAN_RANGES:
            han[first : last + 1] = True
        rows = np.full(BASIC_PLANE, UNKNOWN, dtype=np.int32)
        rows[characters] = np.arange(len(characters), dtype=np.int32)
        self._character_rows = np.where(han, rows, NO_HAN)
        keys = _key(bigrams[:, 0].astype(np.uint32), bigrams[:, 1].astype(np.uint32))
        self._order = np.argsort(keys, kind="stable").astype(np.int32)
        self._keys = keys[self._order]
        self._first_bigram = len(characters)
        self.count = len(characters) + len(bigrams)  # rows that the model must have for them

    def split(self, texts: Sequence[str]) -> list[tuple[str, np.ndarray]]:
        """Take the Chinese characters out of texts.

        All texts are looked at together: most of the time for a short one would go into calling numpy.

        :param texts: any texts that have a UTF-8 form.
        :returns: for each, the text with one blank in place of every run of Chinese characters, and the rows found
            (int32, with repetitions): characters are numbered from 0 in the order given, pairs after them.
        """
        joined = "".join(texts)
        if joined.isascii():
            return [(text, np.empty(0, dtype=np.int32)) for text in texts]
        ends = np.cumsum([len(text) for text in texts])
        points = np.frombuffer(joined.encode("utf-32-le"), dtype=np.uint32)
        folded = self._fold.take(points, mode="clip")  # what lies beyond the plane becomes its last point, no character
        rows = self._character_rows.take(folded)
        han = rows != NO_HAN
        inner = han[:-1] & han[1:]  # it, and the next one
        inner[ends[(ends > 0) & (ends < len(points))] - 1] = False
        characters, pairs = np.flatnonzero(rows >= 0), np.flatnonzero(inner)
        pair_rows = self._find(_key(folded[:-1], folded[1:])[inner])
        known = pair_rows >= 0
        both = (_cut(characters, rows[characters], ends), _cut(pairs[known], pair_rows[known], ends))
        np.copyto(folded, points, where=points >= BASIC_PLANE)
        rests = self._rests(folded, han, inner, ends)
        return [(rest, np.concatenate(found)) for rest, *found in zip(rests, *both, strict=True)]

    @staticmethod
    def _rests(points: np.ndarray, han: np.ndarray, inner: np.ndarray, ends: np.ndarray) -> list[str]:
        kept = np.ones(len(points), dtype=bool)
        kept[1:] = ~inner  # who tokenizes it would pay for every blank
        points[han] = BLANK
        rest = points[kept].tobytes().decode("utf-32-le")
        lengths = np.concatenate([[0], np.cumsum(kept)])
        edges = [0, *lengths[ends].tolist()]
        return [rest[start:end] for start, end in pairwise(edges)]

    def _find(self, keys: np.ndarray) -> np.ndarray:
        """Return the rows of pairs."""
        if not len(self._keys):
            return np.full(len(keys), UNKNOWN, dtype=np.int32)
        places = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[places] == keys, self._order[places] + self._first_bigram, UNKNOWN)


def _cut(places: np.ndarray, rows: np.ndarray, ends: np.ndarray) -> list[np.ndarray]:
    """Divide rows that were found at ascending places among the texts that end there."""
    edges = [0, *np.searchsorted(places, ends).tolist()]
    return [rows[start:end] for start, end in pairwise(edges)]


def _key(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    found: np.ndarray = (first << np.uint32(16)) | second
    return found
