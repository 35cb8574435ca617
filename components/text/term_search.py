"""Which of a question's terms a text has, found without all tokens of the text."""

from collections.abc import Iterable
from itertools import chain

from khub.components.text.symbols import is_symbol, symbols_in
from khub.components.text.tokenizer import is_bigram, is_stable, tokenize, word_runs, word_terms


class TermSearch:
    """Looks for terms in texts: for bigrams as they are, and for words in the text's own words.

    It finds what `index_terms` gives, for a part of the time. The few texts that take more than that are tokenized.

    :param terms: from `khub.components.text.symbols.index_terms`.
    """

    def __init__(self, terms: Iterable[str]) -> None:
        every = frozenset(terms)
        self._symbols = frozenset(filter(is_symbol, every))
        self._terms = every - self._symbols
        self._bigrams = list(filter(is_bigram, self._terms))
        self._words = self._terms.difference(self._bigrams)
        self._initials = {word[0] for word in self._words}

    def held(self, text: str) -> set[str]:
        """Return the terms that are among those of a text."""
        symbols: set[str] = set(self._symbols).intersection(symbols_in(text)) if self._symbols else set()
        if (words := self._words_of(text)) is None:
            return symbols | set(self._terms.intersection(tokenize(text)))
        return symbols | self._bigrams_in(text) | self._words.intersection(chain.from_iterable(map(word_terms, words)))

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
