"""Which passages hold the question's words, all of them or nearly so."""

from collections.abc import Sequence

from khub.components.question import Expansion
from khub.components.text.term_search import TermSearch
from khub.components.text.tokenizer import is_bigram, normalized, tokenize

FROM = 0.7
"""Share of the question's words above which a passage begins to count: fewer may stand there by chance."""


def coordination(terms: Sequence[str], texts: Sequence[str], expansions: Sequence[Expansion] = ()) -> list[float]:
    """Say how near each passage is to holding every word of the question.

    Whoever types some words of a passage that they remember, in any order, looks for one in which they all stand. BM25
    is a sum over the words, and vectors know nothing of single ones: a passage may be first by either that lacks the
    very word that was meant. To rank by how many of the words are there is coordination level matching (C. W.
    Cleverdon, *The Cranfield Tests on Index Language Devices*, Aslib Proceedings 1967).

    :param terms: tokens of the question without stop words, from `khub.components.text.tokenizer.tokenize`.
    :param texts: what of each passage is looked at.
    :param expansions: other words for some of the terms: a passage that holds all tokens of one holds the term.
    :returns: for each passage 0 where it holds `FROM` of the distinct terms or less, 1 where it holds all, and in
        between where it holds a share in between.
    """
    if not terms:
        return [0.0] * len(texts)
    ways = ways_of(terms, expansions)
    # long words are rare: with them, most passages are soon done with
    ways = {word: ways[word] for word in sorted(ways, key=len, reverse=True)}
    traces = [[(max(map(_trace, tokens), key=len), tokens) for tokens in found] for found in ways.values()]
    return [_degree(list(ways.values()), _likely(traces, text), text) for text in texts]


def ways_of(terms: Sequence[str], expansions: Sequence[Expansion]) -> dict[str, list[Sequence[str]]]:
    """Return the tokens that hold each term: itself, or all of those of an expansion."""
    ways: dict[str, list[Sequence[str]]] = {term: [(term,)] for term in terms}
    for other in expansions:
        # a translation is one of a term, and a synonym one of a word as it was typed
        for word in {other.of} & ways.keys() or ways.keys() & tokenize(other.of):
            ways[word].append(other.terms)
    return ways


def _trace(token: str) -> str:
    """Return what a text in small letters has wherever it has the token; "" where nothing is sure to be there."""
    if is_bigram(token):
        return token
    if not (token.isascii() and token.isalpha()):
        return ""
    return token[:1] if token.endswith("ie") else token[:-1]  # a stem begins as its word does: happi, but die of dying


def _likely(traces: Sequence[Sequence[tuple[str, Sequence[str]]]], text: str) -> set[str]:
    """Return the tokens that a passage may have; none if it cannot have enough of the words.

    To look for tokens as such takes many times as long.

    :param traces: of each word, the ways to hold it, and what is in the text wherever that is (see `_trace`).
    """
    small = normalized(text).lower()
    spare = int(len(traces) * (1 - FROM))
    likely: set[str] = set()
    for ways in traces:
        met = [tokens for trace, tokens in ways if trace in small]
        likely.update(*met)
        spare -= not met
        if spare < 0:
            return set()
    return likely


def _degree(ways: Sequence[Sequence[Sequence[str]]], likely: set[str], text: str) -> float:
    if not likely:
        return 0.0
    held = TermSearch(likely).held(text)
    share = sum(any(held.issuperset(tokens) for tokens in found) for found in ways) / len(ways)
    return max(0.0, (share - FROM) / (1 - FROM))
