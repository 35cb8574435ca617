"""Which of a question's terms a text has, found without all tokens of the text."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from components.text.tokenizer import is_bigram, is_stable, tokenize, word_runs, word_terms


class TermSearch:
    """Looks for terms in texts: for bigrams as they are, and for words in the text's own words.

    It finds what `tokenize` gives, for a part of the time. The few texts that take more than that are tokenized.

    :param terms: tokens, from `tokenize`.
    """

    def __init__(self, terms: Iterable[str]) -> None:
        self._terms = frozenset(terms)
        self._bigrams = list(filter(is_bigram, self._terms))
        self._words = self._terms.difference(self._bigrams)
        self._initials = {word[0] for word in self._words}

    def held(self, text: str) -> set[str]:
        """Return the terms that are among the tokens of a text."""
        if (words := self._words_of(text)) is None:
            return set(self._terms.intersection(tokenize(text)))
        return self._bigrams_in(text) | self._words.intersection(chain.from_iterable(map(word_terms, words)))

    def held_in_parts(self, text: str, spans: Sequence[tuple[int, int]]) -> dict[int, set[str]]:
        """Return the terms of each part of a text.

        :param text: the whole.
        :param spans: beginning and end of each part, in order; no token is cut between them, such as sentences.
        :returns: number of a part -> its terms, in order; without parts that have none.
        """
        text = text.replace("’", "'")  # as `tokenize` reads it
        held = {number: self.held(text[slice(*spans[number])]) for number in self._likely_parts(text, spans)}
        return {number: terms for number, terms in held.items() if terms}

    def _likely_parts(self, text: str, spans: Sequence[tuple[int, int]]) -> Iterable[int]:
        """Return the parts that have a term, and perhaps some others."""
        if (words := self._words_of(text)) is None:
            return range(len(spans))
        traces = [word for word in words if not self._words.isdisjoint(word_terms(word))]
        starts = [start for start, _ in spans]
        places = (place for trace in (*traces, *self._bigrams_in(text)) for place in _places(text, trace))
        return sorted({bisect_right(starts, place) - 1 for place in places})

    def _words_of(self, text: str) -> list[str] | None:
        """Return the words of a text that may have terms; None where words and bigrams do not tell all its tokens."""
        if not self._words:
            return [] if is_stable(text) else None
        words = word_runs(text, self._initials)
        if words is None:
            return None
        # those beside punctuation have not been left out yet
        return [word for word in words if word[0] in self._initials or not (word.isalpha() and word.islower())]

    def _bigrams_in(self, text: str) -> set[str]:
        return set() if text.isascii() else {term for term in self._bigrams if term in text}


def _places(text: str, part: str) -> Iterator[int]:
    place = text.find(part)
    while place >= 0:
        yield place
        place = text.find(part, place + 1)
