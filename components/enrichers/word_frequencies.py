"""How frequent words are in general, in Chinese and English, from the vocabularies of an embedder that ships."""

import json
import math
import re
from functools import lru_cache
from pathlib import Path

from tokenizers import Tokenizer

from components.embedders.model_files import read_tokenizer
from components.embedders.model_folder import find_model

MODEL = "khub-base"
UNKNOWN = -15.0
"""Natural logarithm of the share of a word that the vocabulary does not have."""
FIRST_WORD = 1000
"""Ids below are marks, letters and numbers. The words behind them stand in the order of their frequency."""

_HAN = re.compile("[\u4e00-\u9fff]+")


class WordFrequencies:
    """Cuts Chinese into words, and tells how frequent a word is.

    Chinese: the embedder's Unigram model (`han.json`) is a list of words with their shares. English: its WordPiece
    vocabulary is in order of frequency, which Zipf's law turns into shares.

    :param folder: the model's folder.
    """

    def __init__(self, folder: Path) -> None:
        self._han: Tokenizer = read_tokenizer(folder / "han.json")
        han = json.loads((folder / "han.json").read_text(encoding="utf-8"))["model"]["vocab"]
        self._chinese: dict[str, float] = {word: share for word, share in han if word != "<unk>"}
        english = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
        scale = math.log(math.log(len(english)))
        self._english = {
            word: -math.log(max(1, place - FIRST_WORD) + 20) - scale
            for word, place in english.items()
            if word.isalpha() and len(word) > 1
        }

    def chinese_words(self, text: str) -> list[str]:
        """Return the words of a run of Chinese characters."""
        return [text[start:end] for start, end in self._han.encode(text).offsets]

    def share(self, word: str) -> float:
        """Return the natural logarithm of a word's share of all words; `UNKNOWN` for one that is not known."""
        if _HAN.fullmatch(word):
            return self._chinese.get(word, UNKNOWN)
        return self._english.get(word.lower(), UNKNOWN)


@lru_cache(maxsize=1)
def word_frequencies() -> WordFrequencies:
    """Return those of the embedder that ships, read at the first call."""
    return WordFrequencies(find_model(MODEL))
