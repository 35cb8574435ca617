"""Text to token ids word by word, with a memory for words: most words of a text have been seen before."""

import re
from collections.abc import Collection, Sequence
from itertools import chain

import numpy as np
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from components.embedders.native_threads import native_call

MARKS = ".,;:!?'\"()/-"
ENDS = f" \n{MARKS}"
WORDS = re.compile(f"[^{re.escape(ENDS)}]+|[{re.escape(MARKS)}]")
MOST_WORDS = 16_384  # remembered at a time, some megabytes
LONGEST_WORD = 64


class WordTokenizer:
    """A tokenizer that looks up the words which it has met, and gives only new ones to the library.

    That is possible with BERT's tokenizer (WordPiece), to which blanks and punctuation are always the end of a word. A
    new word that is one token is looked up in the vocabulary: the library takes twenty times as long for it. Texts for
    another tokenizer, and those with a word too long to be remembered, go to the library as they are: the ids are the
    same. One object may be used from several threads.

    :param tokenizer: neither cuts nor fills up texts.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._by_words = _ends_words_at_marks(tokenizer)
        self._has_plain_words = self._by_words and _has_plain_words(tokenizer)
        self._known: dict[str, tuple[int, ...]] = {}

    def encode(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Tokenize texts of any length.

        :param texts: strings that have a UTF-8 form.
        :returns: for each text its ids (int32, one axis), without special tokens, in the order of the text.
        """
        if not self._by_words:
            return [_ids(ids) for ids in self._tokenize(texts)]
        return self._of_words(texts, list(map(WORDS.findall, texts)))

    def encode_distinct(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Tokenize texts without regard for the order and number of their tokens, which takes less time.

        :param texts: as in `encode`.
        :returns: for each text ids of the same tokens, each at least once, in no order.
        """
        if not self._by_words:
            return self.encode(texts)
        return self._of_words(texts, [set(WORDS.findall(text)) for text in texts])

    def _of_words(self, texts: Sequence[str], words: Sequence[Collection[str]]) -> list[np.ndarray]:
        different: set[str] = set().union(*words)
        long = {word for word in different if len(word) > LONGEST_WORD}
        by_words = [not long or long.isdisjoint(several) for several in words]
        known = self._learn(different - long)
        whole = iter(self._tokenize([text for text, short in zip(texts, by_words, strict=True) if not short]))
        return [
            _ids(list(chain.from_iterable(map(known.__getitem__, several))) if short else next(whole))
            for several, short in zip(words, by_words, strict=True)
        ]

    def _learn(self, words: set[str]) -> dict[str, tuple[int, ...]]:
        """Return a table that has all these words, and remember it unless it is too large."""
        known = self._known
        new = [word for word in words if word not in known]
        if len(known) + len(new) > MOST_WORDS:
            # A new one, since another thread may still be reading the old one.
            known, new = {}, list(words)
            if len(new) <= MOST_WORDS:
                self._known = known
        single = self._single_tokens(new) if self._has_plain_words else {}
        known.update(single)
        rest = [word for word in new if word not in single]
        known.update(zip(rest, map(tuple, self._tokenize(rest)), strict=True))
        return known

    def _single_tokens(self, words: list[str]) -> dict[str, tuple[int, ...]]:
        """Return the words that the vocabulary has as they are."""
        lower = self._tokenizer.normalizer.lowercase
        find = self._tokenizer.token_to_id
        plain = (word for word in words if word.isascii() and (word.isalnum() or word in MARKS))
        found = ((word, find(word.lower() if lower else word)) for word in plain)
        return {word: (token,) for word, token in found if token is not None}

    def _tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        if not texts:
            return []
        with native_call():
            encodings = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        return [encoding.ids for encoding in encodings]


def _ids(ids: list[int]) -> np.ndarray:
    return np.array(ids, dtype=np.int32)


def _ends_words_at_marks(tokenizer: Tokenizer) -> bool:
    return (
        isinstance(tokenizer.model, WordPiece)
        and isinstance(tokenizer.pre_tokenizer, BertPreTokenizer)
        and isinstance(tokenizer.normalizer, BertNormalizer)
        and not any(end in content for content in _added(tokenizer) for end in ENDS)
    )


def _has_plain_words(tokenizer: Tokenizer) -> bool:
    """Whether a word of letters and digits that is in the vocabulary is always that one token."""
    longest = tokenizer.model.max_input_chars_per_word
    return longest >= LONGEST_WORD and not any(content.isalnum() for content in _added(tokenizer))


def _added(tokenizer: Tokenizer) -> list[str]:
    return [token.content for token in tokenizer.get_added_tokens_decoder().values()]
