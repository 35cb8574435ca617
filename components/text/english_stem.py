"""English words without their endings, so that `charge`, `charged` and `charging` are one term."""

import threading
from functools import lru_cache

import Stemmer

SHORTEST = 3
"""Shorter words have no ending to lose."""

_local = threading.local()


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return the stem of an English word, by the Snowball stemmer (M. Porter, *Porter2*, 2001).

    :param word: one word in lower case.
    :returns: its stem, never longer than the word; the word itself where it has other letters than those of ASCII.
    """
    if len(word) < SHORTEST or not (word.isascii() and word.isalpha()):
        return word
    return str(_stemmer().stemWord(word))


def _stemmer() -> Stemmer.Stemmer:
    # A stemmer of this library may not be used by two threads at once.
    if not hasattr(_local, "stemmer"):
        _local.stemmer = Stemmer.Stemmer("english", 0)
    stemmer: Stemmer.Stemmer = _local.stemmer
    return stemmer
