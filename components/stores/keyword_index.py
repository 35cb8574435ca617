"""What is asked of a collection's keyword index, wherever it lies."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence

from khub.components.question import Expansion
from khub.components.text.tokenizer import tokenize


class KeywordIndex(ABC):
    """BM25 over the tokens of chunks."""

    @property
    def knows_symbols(self) -> bool:
        """Whether it was made with a place for symbols; else it finds none, and `khub reindex` makes it anew."""
        return True

    @property
    def knows_positions(self) -> bool:
        """Whether words of a phrase are looked for one behind the other; else anywhere in a chunk."""
        return True

    @abstractmethod
    def search(
        self,
        terms: Sequence[str],
        top_k: int,
        only: Sequence[str] | None = None,
        expansions: Sequence[Expansion] = (),
        phrases: Sequence[Sequence[str]] = (),
        language: str | None = None,
    ) -> list[tuple[str, float]]:
        """Return (chunk id, BM25 score > 0) of the best chunks for any of the terms, best first.

        :param terms: tokens of the question; a repeated one counts as often.
        :param only: ids to search among (at most `ID_FILTER_LIMIT`), or None for all.
        :param expansions: other words for some of the terms; `weight` is the part of their BM25 score that counts.
        :param phrases: tokens that a chunk must hold one behind the other, each list not empty.
        :param language: search among the chunks that were written in it, or None for all.
        """

    @abstractmethod
    def holds(self, characters: Sequence[str]) -> bool:
        """Return whether a chunk holds Han characters one behind the other.

        :param characters: for each place, those of which one has to stand there.
        """

    @abstractmethod
    def languages(self, named: Sequence[str]) -> list[str]:
        """Return those of the languages in which there are chunks."""

    @abstractmethod
    def count(self) -> int:
        """Return the number of chunks."""

    @abstractmethod
    def _frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """Return the number of chunks that hold each term, 0 too."""

    def coverage(self, terms: Sequence[str], expansions: Sequence[Expansion] = ()) -> float:
        """Return the share of the distinct terms that occur in the index, 0 to 1.

        :param expansions: other words for some of the terms; one whose other word occurs counts as if it occurred.
        """
        frequencies = self._frequencies(terms)
        standing_in = self._standing_in(frequencies, expansions)
        known = sum(1 for term, found in frequencies.items() if found or term in standing_in)
        return known / len(frequencies) if frequencies else 0.0

    def holding(self, terms: Iterable[str]) -> dict[str, int]:
        """Return those of the terms that occur in the index, each with the number of chunks that hold it."""
        return {term: found for term, found in self._frequencies(list(terms)).items() if found}

    def rarity(self, terms: Sequence[str], expansions: Sequence[Expansion] = ()) -> dict[str, float]:
        """Return the inverse document frequency of each distinct term, as in BM25: log(1 + (N - n + 0.5) / (n + 0.5)).

        :param expansions: other words for some of the terms; where a term does not occur and its other word does, that
            one's tokens are in its place.
        :returns: term -> a number above 0, greatest for a term that does not occur.
        """
        frequencies = self._frequencies(terms)
        standing_in = self._standing_in(frequencies, expansions)
        words = [word for term in frequencies for word in standing_in.get(term, (term,))]
        count = self.count()
        return {
            term: math.log1p((max(count - found, 0) + 0.5) / (found + 0.5))
            for term, found in self._frequencies(words).items()
        }

    def _standing_in(
        self, frequencies: Mapping[str, int], expansions: Sequence[Expansion]
    ) -> dict[str, tuple[str, ...]]:
        """Return the tokens of a word that the index knows, for each term that it does not know."""
        found: dict[str, tuple[str, ...]] = {}
        own = [other for other in expansions if not other.translated]
        missing = [(other, [term for term in tokenize(other.of) if frequencies.get(term) == 0]) for other in own]
        known = self._frequencies([term for other, without in missing if without for term in other.terms])
        for other, without in missing:
            if without and all(known[term] for term in other.terms):
                for term in without:
                    found.setdefault(term, tuple(other.terms))
        return found
