"""How much of a question stands in a passage word for word."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from khub.components.text.stopwords import CHINESE, ENGLISH
from khub.components.text.tokenizer import tokenize

LEAST = 2.0
"""Weight of the shortest run that counts: a single word is what the keyword leg is for."""

MOST_WORDS = 100
"""Of a question; what stands behind them is looked up no more."""

HAN_WEIGHT = 0.5  # of a character, since most words have two
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")


class _Word(NamedTuple):
    start: int
    end: int
    weight: float


def verbatim_shares(question: str, passages: Sequence[str]) -> list[float]:
    """Return the share of the question's words that stand in each passage in a row, as they do in the question.

    Whoever types a sentence that they remember looks for the passage that has it, and neither BM25 nor vectors know
    the order of words. The share is that of the longest run (case and line breaks aside), where a stop word counts
    nothing, a Chinese character half a word, and a run of less than `LEAST` nothing. Terms that stand together as in
    the question are the ordered features of the sequential dependence model of D. Metzler and W. B. Croft, *A Markov
    Random Field Model for Term Dependencies* (SIGIR 2005), here up to any length.

    :param question: the question.
    :param passages: their texts.
    :returns: a number from 0 to 1 for each passage.
    """
    text = " ".join(question.lower().split())
    parts = _parts(text)
    total = sum(word.weight for part in parts for word in part)
    shortest = [run for part in parts for run in _shortest_runs(text, part)]
    shares = []
    for passage in passages:
        known = passage.lower().replace("\n", " ")
        longest = 0.0
        if any(run in known for run in shortest):  # which hardly any passage has: to look further takes longer
            longest = max(_longest_run(text, part, known) for part in parts)
        shares.append(longest / total if longest >= LEAST else 0.0)
    return shares


def _parts(text: str) -> list[list[_Word]]:
    """Return the words of a question, in parts between which Chinese stop words stand."""
    parts: list[list[_Word]] = []
    left = MOST_WORDS
    for start, end in _between(text):
        words = islice(_WORD.finditer(text, start, end), left)
        found = [_Word(word.start(), word.end(), _weight(word[0])) for word in words]
        left -= len(found)
        parts.append(found)
    return parts


def _between(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for stop in CHINESE.finditer(text):
        yield start, stop.start()
        start = stop.end()
    yield start, len(text)


def _weight(word: str) -> float:
    if "\u3400" <= word <= "\u9fff":
        return HAN_WEIGHT
    return 0.0 if ENGLISH.issuperset(tokenize(word)) else 1.0


def _shortest_runs(text: str, words: list[_Word]) -> Iterator[str]:
    """Yield the text of each shortest run that counts."""
    for first, word in enumerate(words):
        weight = 0.0
        for last in words[first:]:
            weight += last.weight
            if weight >= LEAST:
                yield text[word.start : last.end]
                break


def _longest_run(text: str, words: Sequence[_Word], passage: str) -> float:
    """Return the weight of the words in the longest run that the passage has."""
    longest, end = 0.0, 1
    for first in range(len(words)):
        # what begins at the next word reaches as far at least as what begins at this one
        end = max(end, first + 1)
        while end <= len(words) and text[words[first].start : words[end - 1].end] in passage:
            end += 1
        longest = max(longest, sum(word.weight for word in words[first : end - 1]))
    return longest
