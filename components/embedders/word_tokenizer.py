"""Text to token ids word by word, with a memory for words: most words of a text have been seen before."""

from collections.abc import Sequence
from itertools import chain

import numpy as np
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from components.embedders.native_threads import native_call

BLANK = " "
MOST_WORDS = 16_384  # remembered at a time, some megabytes
LONGEST_WORD = 64


class WordTokenizer:
    """A tokenizer that looks up the words which it has met, and gives only new ones to the library.

    That is possible with BERT's tokenizer (WordPiece), to which a blank is always the end of a word. Texts for another
    tokenizer, and those with a word too long to be remembered, go to the library as they are: the ids are the same. One
    object may be used from several threads.

    :param tokenizer: neither cuts nor fills up texts.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._by_words = _ends_words_at_blanks(tokenizer)
        self._known: dict[str, list[int]] = {}

    def encode(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Tokenize texts of any length.

        :param texts: strings that have a UTF-8 form.
        :returns: for each text its ids (int32, one axis), without special tokens, in the order of the text.
        """
        if not self._by_words:
            return [_ids(ids) for ids in self._tokenize(texts)]
        words = [text.split(BLANK) for text in texts]
        by_words = [max(map(len, several)) <= LONGEST_WORD for several in words]
        known = self._learn({word for several, short in zip(words, by_words, strict=True) if short for word in several})
        whole = iter(self._tokenize([text for text, short in zip(texts, by_words, strict=True) if not short]))
        return [
            _ids(list(chain.from_iterable(map(known.__getitem__, several))) if short else next(whole))
            for several, short in zip(words, by_words, strict=True)
        ]

    def _learn(self, words: set[str]) -> dict[str, list[int]]:
        """Return a table that has all these words, and remember it unless it is too large."""
        known = self._known
        new = [word for word in words if word not in known]
        if len(known) + len(new) > MOST_WORDS:
            # A new one, since another thread may still be reading the old one.
            known, new = {}, list(words)
            if len(new) <= MOST_WORDS:
                self._known = known
        known.update(zip(new, self._tokenize(new), strict=True))
        return known

    def _tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        if not texts:
            return []
        with native_call():
            encodings = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        return [encoding.ids for encoding in encodings]


def _ids(ids: list[int]) -> np.ndarray:
    return np.array(ids, dtype=np.int32)


def _ends_words_at_blanks(tokenizer: Tokenizer) -> bool:
    return (
        isinstance(tokenizer.model, WordPiece)
        and isinstance(tokenizer.pre_tokenizer, BertPreTokenizer)
        and isinstance(tokenizer.normalizer, BertNormalizer)
        and not any(BLANK in token.content for token in tokenizer.get_added_tokens_decoder().values())
    )
