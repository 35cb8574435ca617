"""Which rows of a static model belong to the Chinese part of a text: its characters and its known pairs of them."""

import numpy as np

BASIC_PLANE = 0x10000
HAN_RANGES = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF))
UNKNOWN = -1


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
        self._han = np.zeros(BASIC_PLANE, dtype=bool)
        for first, last in HAN_RANGES:
            self._han[first : last + 1] = True
        self._character_rows = np.full(BASIC_PLANE, UNKNOWN, dtype=np.int32)
        self._character_rows[characters] = np.arange(len(characters), dtype=np.int32)
        keys = _key(bigrams[:, 0].astype(np.uint32), bigrams[:, 1].astype(np.uint32))
        self._order = np.argsort(keys, kind="stable").astype(np.int32)
        self._keys = keys[self._order]
        self._first_bigram = len(characters)
        self.count = len(characters) + len(bigrams)  # rows that the model must have for them

    def split(self, text: str) -> tuple[str, np.ndarray]:
        """Take the Chinese characters out of a text.

        :param text: any text that has a UTF-8 form.
        :returns: the text with a blank in place of every Chinese character, and the rows found (int32, with
            repetitions): characters are numbered from 0 in the order given, pairs after them.
        """
        if text.isascii():
            return text, np.empty(0, dtype=np.int32)
        points = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
        basic = np.where(points < BASIC_PLANE, points, 0)
        folded = self._fold[basic]
        han = self._han[folded]
        rest = np.where(points < BASIC_PLANE, folded, points)
        rest[han] = 0x20
        characters = self._character_rows[folded[han]]
        both = np.flatnonzero(han[:-1] & han[1:])
        pairs = self._find(_key(folded[both], folded[both + 1]))
        rows = np.concatenate([characters, pairs])
        return rest.tobytes().decode("utf-32-le"), rows[rows >= 0]

    def _find(self, keys: np.ndarray) -> np.ndarray:
        if not len(self._keys):
            return np.empty(0, dtype=np.int32)
        places = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[places] == keys, self._order[places] + self._first_bigram, UNKNOWN).astype(np.int32)


def _key(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return (first << np.uint32(16)) | second
