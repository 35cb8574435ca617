"""Let the first passages hold together what a question names: each side of a comparison, each of two years."""

import math
from collections import Counter
from collections.abc import Sequence

from haystack import Document

from khub.components.question import Expansion
from khub.components.rankers.coordination import ways_of
from khub.components.text.chunk_text import indexed_text
from khub.components.text.term_search import TermSearch

LOOKED_AT = 20
"""Passages, the first ones, of which the order may change."""
LEFT = 0.5
"""Of the weight of a word, once a passage holds it."""


def covering(
    documents: Sequence[Document],
    scores: Sequence[float],
    terms: Sequence[str],
    expansions: Sequence[Expansion],
    weight: float,
) -> list[Document]:
    """Return the passages so that those go ahead which hold words that the ones before them lack.

    What a question compares, it names, and the best passages may all be of one of them. Each place goes to the passage
    with most of its score and of the words that are left (explicit diversification: R. Santos, C. Macdonald and I.
    Ounis, *Exploiting Query Reformulations for Web Search Result Diversification*, WWW 2010, with words for aspects).
    The first passage stays the first.

    :param documents: best first.
    :param scores: of each, from 0 to 1.
    :param terms: tokens of the question without stop words.
    :param expansions: other words for some of them.
    :param weight: of the words, beside the score, from 0 to 1.
    """
    first = documents[:LOOKED_AT]
    held = _held(first, terms, expansions)
    counts = Counter(term for one in held for term in one)
    left = {term: max(0.0, math.log((len(first) + 1) / (count + 0.5))) for term, count in counts.items()}
    whole = sum(left.values())
    if len(first) < 3 or not whole:
        return list(documents)
    order: list[int] = []
    rest = list(range(len(first)))
    while rest:
        gains = [sum(left[term] for term in held[place]) / whole for place in rest]
        worth = [(1 - weight) * scores[place] + weight * gain for place, gain in zip(rest, gains, strict=True)]
        best = rest[worth.index(max(worth))] if order else 0
        rest.remove(best)
        order.append(best)
        for term in held[best]:
            left[term] *= LEFT
    return [*(first[place] for place in order), *documents[LOOKED_AT:]]


def _held(documents: Sequence[Document], terms: Sequence[str], expansions: Sequence[Expansion]) -> list[set[str]]:
    """Return which of the terms each passage holds, with its title, headings and file."""
    ways = ways_of(terms, expansions)
    search = TermSearch({token for several in ways.values() for tokens in several for token in tokens})
    found = [search.held(indexed_text(one)) for one in documents]
    return [{term for term, several in ways.items() if any(map(one.issuperset, several))} for one in found]
