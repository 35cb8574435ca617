"""Which passages hold the question's words, all of them or nearly so."""

from collections.abc import Mapping, Sequence
from typing import Any

from components.text.term_search import TermSearch
from components.text.tokenizer import is_bigram, is_stable, tokenize

FROM = 0.7
"""Share of the question's words above which a passage begins to count: fewer may stand there by chance."""

SHORTEST_TRACE = 4
"""Letters of the shortest English stem that every form of its word begins with, but for the last one (die: dying)."""


def coordination(terms: Sequence[str], texts: Sequence[str], synonyms: Sequence[Mapping[str, Any]] = ()) -> list[float]:
    """Say how near each passage is to holding every word of the question.

    Whoever types some words of a passage that they remember, in any order, looks for one in which they all stand. BM25
    is a sum over the words, and vectors know nothing of single ones: a passage may be first by either that lacks the
    very word that was meant. To rank by how many of the words are there is coordination level matching (C. W.
    Cleverdon, *The Cranfield Tests on Index Language Devices*, Aslib Proceedings 1967).

    :param terms: tokens of the question without stop words, from `components.text.tokenizer.tokenize`.
    :param texts: what of each passage is looked at.
    :param synonyms: other words for some of the terms (see `QueryAnalyzer`): a passage that has one holds the term.
    :returns: for each passage 0 where it holds `FROM` of the distinct terms or less, 1 where it holds all, and in
        between where it holds a share in between.
    """
    words = tuple(dict.fromkeys(terms))
    if not words:
        return [0.0] * len(texts)
    standing_in = _standing_in(words, synonyms)
    search = TermSearch([*words, *(token for found in standing_in.values() for tokens in found for token in tokens)])
    # long words are rare: with them, most passages are soon done with
    traces = sorted((_trace(word) for word in words if word not in standing_in), key=len, reverse=True)
    spare = int(len(words) * (1 - FROM))
    return [
        _degree(_share(words, search.held(text), standing_in)) if _likely(traces, text, spare) else 0.0
        for text in texts
    ]


def _standing_in(words: Sequence[str], synonyms: Sequence[Mapping[str, Any]]) -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = {}
    for other in synonyms:
        for word in set(tokenize(other["of"])).intersection(words):
            found.setdefault(word, []).append(list(other["terms"]))
    return found


def _trace(word: str) -> str:
    """Return what a text in small letters has wherever it has the word; "" where nothing is sure to be there."""
    if is_bigram(word):
        return word
    return word[:-1] if len(word) >= SHORTEST_TRACE and word.isascii() and word.isalpha() else ""


def _likely(traces: Sequence[str], text: str, spare: int) -> bool:
    """Return whether a passage may hold enough of the words: to look for them all takes many times as long."""
    small = text.lower()
    for trace in traces:
        if trace not in small:
            spare -= 1
            if spare < 0:
                return not is_stable(text)
    return True


def _share(words: Sequence[str], held: set[str], standing_in: Mapping[str, list[list[str]]]) -> float:
    def holds(word: str) -> bool:
        return word in held or any(held.issuperset(tokens) for tokens in standing_in.get(word, ()))

    return sum(map(holds, words)) / len(words)


def _degree(share: float) -> float:
    return max(0.0, (share - FROM) / (1 - FROM))
