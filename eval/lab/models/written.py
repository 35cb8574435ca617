"""Text that was written for these models: a word list, and statements with the questions that they answer.

`words.tsv` has a Chinese word, its English glosses (separated by `; `) and Chinese words of nearly the same meaning
(separated by `、`) in a line; `statements.tsv` a statement in Chinese and English, then two questions that it answers,
each in both languages: the first as somebody asks who does not know the statement's words.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).with_name("written")
SOURCE = "written"
GLOSSES, SYNONYMS = "; ", "、"


class Pair(NamedTuple):
    """The same text in both languages."""

    en: str
    zh: str
    source: str


class Statement(NamedTuple):
    """What a document says, and the questions that it answers."""

    text: Pair
    questions: tuple[Pair, ...]


def read_words(folder: Path = FOLDER) -> list[Pair]:
    """Read the word list: each word, and each word of nearly the same meaning, with the glosses of the first."""
    found: dict[tuple[str, str], None] = {}
    for word, glosses, *synonyms in _rows(folder / "words.tsv"):
        meaning = ", ".join(glosses.split(GLOSSES))
        for zh in (word, *(synonyms[0].split(SYNONYMS) if synonyms else ())):
            if zh:
                found[meaning, zh] = None
    return [Pair(en, zh, SOURCE) for en, zh in found]


def read_statements(folder: Path = FOLDER) -> list[Statement]:
    """Read the statements, in the order of the file."""
    return [
        Statement(Pair(en, zh, SOURCE), tuple(Pair(*one, SOURCE) for one in zip(asked[1::2], asked[::2], strict=True)))
        for zh, en, *asked in _rows(folder / "statements.tsv")
    ]


def _rows(file: Path) -> Iterator[list[str]]:
    for line in file.read_text(encoding="utf-8").splitlines():
        yield line.split("\t")
