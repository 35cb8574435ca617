"""The table that says how frequent a Chinese word is, and what it is called in English."""

import itertools
import math
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from khub.components.embedders.han_ngrams import HAN_RANGES
from khub.components.embedders.model_files import damaged, read_json
from khub.components.embedders.table_columns import read_columns
from khub.components.errors import KhubError

SHIPPED = Path(__file__).with_name("words.tsv")
SIMPLIFIED = Path(__file__).with_name("simplified.json")
REMEDY = "name another table, write one (python -m khub.eval.lab.models.write_words --help), or take QueryGloss out"
HAN = re.compile("[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in HAN_RANGES) + "]+")
UNSEEN = 0.3
"""So often a word counts that the table has and running text does not."""
STRANGE = 3.0
"""So much more than such a word costs a character that the table does not have, in nats."""

BETWEEN = "; "
Table = Mapping[str, tuple[int, str]]


class Word(NamedTuple):
    """A word of a text.

    :param text: the word, or what stands between Chinese words.
    :param glosses: what it is called in English, the usual word first; empty where it says nothing or is not known.
    """

    text: str
    glosses: tuple[str, ...]


class WordGlosses:
    """Cuts Chinese text into words and says what each is called in English.

    The words are those whose product of relative frequencies is the greatest (a unigram model, found by dynamic
    programming: A. Viterbi, *Error bounds for convolutional codes*, 1967).

    :param words: word -> how often running text has it, and its glosses, separated by `; `.
    :param folding: characters by which others are replaced before anything else (traditional by simplified ones).
    """

    def __init__(self, words: Table, folding: dict[int, int]) -> None:
        self._words = words
        self._total = math.log(max(sum(count for count, _ in words.values()), 1))
        self._longest = max(map(len, words), default=1)
        self._folding = folding
        self._names: dict[str, list[tuple[str, int]]] | None = None

    def words(self, text: str) -> list[Word]:
        """Return the words of a text in their order, and what stands between Chinese ones as it is."""
        text = text.translate(self._folding)
        found, end = [], 0
        for run in HAN.finditer(text):
            found += [Word(text[end : run.start()], ()), *self._cut(run[0])]
            end = run.end()
        return [word for word in (*found, Word(text[end:], ())) if word.text.strip()]

    def called(self, name: str) -> list[tuple[str, int]]:
        """Return the words that a name is a gloss of, each with how often running text has it.

        :param name: in any case: a gloss is a name when it begins with a capital.
        """
        if self._names is None:
            names: dict[str, list[tuple[str, int]]] = {}
            for word, (count, glosses) in self._words.items():
                for gloss in glosses.split(BETWEEN) if glosses else ():
                    if gloss[0].isupper():
                        names.setdefault(gloss.casefold(), []).append((word, count))
            self._names = names
        return self._names.get(name.casefold(), [])

    def _cut(self, run: str) -> Iterator[Word]:
        best, begins = [0.0], [0]
        for end in range(1, len(run) + 1):
            cost, begin = min(
                (best[begin] + self._cost(run[begin:end]), begin) for begin in range(max(0, end - self._longest), end)
            )
            best.append(cost)
            begins.append(begin)
        edges = [len(run)]
        while edges[-1]:
            edges.append(begins[edges[-1]])
        edges.reverse()
        for begin, end in itertools.pairwise(edges):
            _, glosses = self._words.get(run[begin:end], (0, ""))
            yield Word(run[begin:end], tuple(glosses.split(BETWEEN)) if glosses else ())

    def _cost(self, word: str) -> float:
        if (known := self._words.get(word)) is not None:
            return self._total - math.log(known[0] + UNSEEN)
        return self._total - math.log(UNSEEN) + STRANGE if len(word) == 1 else math.inf


def read_word_glosses(path: Path) -> WordGlosses:
    """Return a table, read once for the whole process.

    :param path: a file with a word, its glosses (separated by `; `, perhaps none) and how often running text has it a
        line, separated by tabs.
    :raises KhubError: when there is no such file, or it is damaged.
    """
    if not path.is_file():
        raise KhubError(f"there is no table of words {path}", REMEDY)
    return _read(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _read(path: Path, mtime_ns: int) -> WordGlosses:  # noqa: ARG001 - a changed file is another key
    try:
        words, glosses, said = read_columns(path, 3)
        counts = [*map(int, said)]
    except ValueError as error:
        raise damaged(path, error) from error
    if min(counts, default=0) < 0:
        raise damaged(path, f"the count {min(counts)} is below 0")
    table = dict(zip(words, zip(counts, glosses, strict=True), strict=True))
    simplified = read_json(SIMPLIFIED)
    return WordGlosses(table, str.maketrans(simplified["from"], simplified["to"]))
