"""How frequent words are in general, in Chinese and English, from the vocabulary of an embedder that ships."""

import json
import math
import re
from functools import lru_cache
from pathlib import Path

from tokenizers import Tokenizer

from khub.components.embedders.model_files import read_tokenizer
from khub.components.embedders.model_folder import find_model

MODEL = "khub-base"
UNKNOWN = -15.0
"""Natural logarithm of the share of a word that the vocabulary does not have."""
BEGINS_WORD = "▁"

_HAN = re.compile("[\u4e00-\u9fff]+")


class WordFrequencies:
    """Cuts Chinese into words, and tells how frequent a word is.

    The embedder's vocabulary is a Unigram model: a list of words and parts of words with their shares.

    :param folder: the model's folder.
    """

    def __init__(self, folder: Path) -> None:
        file = folder / "tokenizer.json"
        self._tokenizer: Tokenizer = read_tokenizer(file)
        self._tokenizer.no_truncation()
        chinese: dict[str, float] = {}
        english: dict[str, float] = {}
        for piece, share in json.loads(file.read_text(encoding="utf-8"))["model"]["vocab"]:
            if _HAN.fullmatch(piece):
                chinese[piece] = share
            elif piece.startswith(BEGINS_WORD) and piece[1:].isascii() and piece[1:].isalpha() and len(piece) > 2:
                english[piece[1:].lower()] = max(share, english.get(piece[1:].lower(), share))
        self._shares = _of_one_language(chinese) | _of_one_language(english)

    def chinese_words(self, text: str) -> list[str]:
        """Return the words of a run of Chinese characters."""
        pieces = self._tokenizer.encode(text, add_special_tokens=False)
        found = zip(pieces.tokens, pieces.offsets, strict=True)
        return [text[start:end] for piece, (start, end) in found if piece != BEGINS_WORD]

    def share(self, word: str) -> float:
        """Return the natural logarithm of a word's share of all words; `UNKNOWN` for one that is not known."""
        return self._shares.get(word if _HAN.fullmatch(word) else word.lower(), UNKNOWN)


def _of_one_language(shares: dict[str, float]) -> dict[str, float]:
    """Return shares of the words of one language, from shares of those of all that the model was made for."""
    total = math.log(sum(math.exp(share) for share in shares.values()))
    return {word: share - total for word, share in shares.items()}


@lru_cache(maxsize=1)
def word_frequencies() -> WordFrequencies:
    """Return those of the embedder that ships, read at the first call."""
    return WordFrequencies(find_model(MODEL))
