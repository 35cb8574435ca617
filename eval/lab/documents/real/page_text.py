"""Headings, words and reading order of a page as they came out, beside what a reader wrote down."""

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from khub.eval.lab.documents.edit_distance import edit_similarity
from khub.eval.lab.documents.words import missing_words, words

ALIKE = 0.9
NOT_WORDS = re.compile(r"[\W_]+")


def headings_found(truth: Sequence[str], found: Sequence[str]) -> int:
    """Return how many headings came out as such; each counts once, and a slip of one letter in ten is none."""
    left, count = [_key(heading) for heading in found], 0
    for heading in map(_key, truth):
        best = max(left, key=lambda other: edit_similarity(heading, other), default=None)
        if best is not None and edit_similarity(heading, best) >= ALIKE:
            left.remove(best)
            count += 1
    return count


def words_lost(layer: str, furniture: Sequence[str], found: str) -> tuple[int, int]:
    """Count the words of a page's text layer, running heads left out, and how many of them did not come out.

    :param layer: the text layer, as PDFium gives it.
    :param furniture: what need not come out.
    :param found: all that came out, of the document where it may stand elsewhere.
    """
    count, missing = missing_words(layer, found)
    needless = Counter(word for line in furniture for word in words(line))
    return count - sum((Counter(words(layer)) & needless).values()), (missing - needless).total()


def out_of_place(anchors: Sequence[str], found: str) -> tuple[int, int]:
    """Count the blocks that were found again, and how many of them would have to move to stand in reading order.

    The others are the longest run whose places grow; a block that occurs several times stands where it fits best.
    """
    text = _key(found)
    places = [_places(_key(anchor), text) for anchor in anchors]
    known = [one for one in places if one]
    tails: list[int] = []
    for one in known:
        for place in reversed(one):  # from the last to the first: a block takes one place of the run
            at = bisect_left(tails, place)
            tails[at : at + 1] = [place]
    return len(known), len(known) - len(tails)


def _places(key: str, text: str) -> list[int]:
    return [found.start() for found in re.finditer(re.escape(key), text)] if len(key) > 3 else []


def _key(text: str) -> str:
    return NOT_WORDS.sub("", unicodedata.normalize("NFKC", text)).casefold()
