"""What each word of a question gives to a chunk's score in the keyword index."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from haystack import Document

from khub.components.text.chunk_text import indexed_text
from khub.components.text.symbols import index_terms

K1 = 1.2
STEPS = 60


@dataclass(frozen=True)
class TermWeight:
    """A term of the question that a chunk holds.

    :param term: the token.
    :param count: how often the chunk's indexed text has it.
    :param idf: its inverse document frequency; None where it is not known.
    :param bm25: what it gives to the chunk's BM25 score; None where that, or the inverse document frequency, is not
        known.
    """

    term: str
    count: int
    idf: float | None
    bm25: float | None


def term_weights(
    document: Document, terms: Sequence[str], rarity: Mapping[str, float], score: float | None
) -> list[TermWeight]:
    """Return the terms that a chunk holds, the weightiest first.

    A term gives `idf * tf * (k1 + 1) / (tf + K)`, K being the same for all terms of a chunk: it grows with the chunk's
    length. The chunk's score says what K is, so that nothing of the index needs to be known.

    :param document: the chunk.
    :param terms: of the question; one that is repeated counts as often.
    :param rarity: term -> inverse document frequency.
    :param score: the chunk's BM25 score; None where the keyword leg has not found it.
    """
    held = Counter(index_terms(indexed_text(document)))
    asked = Counter(term for term in terms if held[term])
    norm = _norm([(rarity[t] * n, held[t]) for t, n in asked.items() if t in rarity], score) if score else None
    found = []
    for term, times in asked.items():
        idf = rarity.get(term)
        part = None if norm is None or idf is None else times * idf * _saturated(held[term], norm)
        found.append(TermWeight(term, held[term], idf, part))
    return sorted(found, key=lambda weight: (-(weight.bm25 or 0.0), -(weight.idf or 0.0), weight.term))


def _saturated(count: int, norm: float) -> float:
    return count * (K1 + 1) / (count + norm)


def _norm(weighted: Sequence[tuple[float, int]], score: float) -> float | None:
    """Find K by halving: the score falls while K rises."""
    low, high = 0.0, 1e4
    if not sum(idf * _saturated(count, low) for idf, count in weighted) >= score:
        return K1  # other words, such as synonyms, have given the rest
    for _ in range(STEPS):
        middle = (low + high) / 2
        if sum(idf * _saturated(count, middle) for idf, count in weighted) > score:
            low = middle
        else:
            high = middle
    return high
