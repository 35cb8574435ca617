"""Generated documents with word frequencies like those of real text (Zipf), in English and Chinese."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

VOCABULARY = Path(__file__).parents[2] / "components" / "embedders" / "models" / "khub-fast" / "tokenizer.json"
EXPONENT = 1.07
HAN_START = 0x4E00
HAN_COUNT = 3000
HAN_WORDS = 20_000


class Corpus:
    """Text of one language, reproducible from a seed.

    :param language: `en` (words of the embedder's vocabulary) or `zh` (words of two characters).
    """

    def __init__(self, language: str, seed: int = 0) -> None:
        self._random = np.random.default_rng(seed)
        self._chinese = language == "zh"
        self._words = self._chinese_words() if self._chinese else _english_words()
        self._random.shuffle(self._words)
        weights = np.arange(1, len(self._words) + 1, dtype=float) ** -EXPONENT
        self._cumulative = np.cumsum(weights / weights.sum())

    def document(self, characters: int) -> str:
        """Return Markdown of about that many characters: a title, headings, paragraphs of three sentences."""
        parts, size = [f"# {self._phrase(4)}"], 0
        while size < characters:
            if len(parts) % 40 == 1:
                parts.append(f"## {self._phrase(3)}")
            paragraph = "".join(self._sentence() for _ in range(3)).strip()
            parts.append(paragraph)
            size += len(paragraph)
        return "\n\n".join(parts) + "\n"

    def question(self) -> str:
        """Return a question of four to eight words, none of them among the hundred most frequent."""
        count = int(self._random.integers(4, 9))
        words = [w for w in self._take(count * 8) if w not in self._words[:100]][:count]
        return ("" if self._chinese else " ").join(words) or self._words[200]

    def documents(self, count: int, characters: int) -> Iterator[str]:
        """Yield documents."""
        for _ in range(count):
            yield self.document(characters)

    def _take(self, count: int) -> list[str]:
        places = np.searchsorted(self._cumulative, self._random.random(count))
        return [self._words[min(i, len(self._words) - 1)] for i in places]

    def _phrase(self, count: int) -> str:
        return ("" if self._chinese else " ").join(self._take(count))

    def _sentence(self) -> str:
        count = int(self._random.integers(8, 20))
        return self._phrase(count) + ("。" if self._chinese else ". ")

    def _chinese_words(self) -> list[str]:
        ranks = np.arange(1, HAN_COUNT + 1, dtype=float) ** -0.8
        drawn = self._random.choice(HAN_COUNT, (HAN_WORDS * 2, 2), p=ranks / ranks.sum())
        words = dict.fromkeys(chr(HAN_START + a * 6) + chr(HAN_START + b * 6) for a, b in drawn)
        return list(words)[:HAN_WORDS]


def _english_words() -> list[str]:
    vocabulary = json.loads(VOCABULARY.read_text(encoding="utf-8"))["model"]["vocab"]
    return [word for word in vocabulary if len(word) > 2 and word.isascii() and word.isalpha()]
