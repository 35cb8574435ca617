"""What readers would call real documents: `titles.jsonl`, and whether a title will do."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from khub.components.text.title_words import title_weight

JUDGED = Path(__file__).with_name("titles.jsonl")
FURTHER = 12
"""Words that a usable title may hold beside those that it has to hold; two Chinese characters are a word."""


@dataclass(frozen=True)
class Judged:
    """A document, and what a reader calls it.

    :param file: its name.
    :param sha256: of its content.
    :param where: the repository, package or collection that has it.
    :param titles: each will do; of "Costco + 10-K" both parts have to be there, in any order.
    """

    file: str
    sha256: str
    where: str
    titles: tuple[str, ...]

    @property
    def half(self) -> str:
        """`choose` or `measure`: which half it belongs to, drawn by the hash of its name."""
        return "choose" if sha256(self.file.encode()).digest()[0] % 2 else "measure"


def read_judged(path: Path = JUDGED) -> list[Judged]:
    """Return all documents that were judged."""
    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return [Judged(row["file"], row["sha256"], row["from"], tuple(row["titles"])) for row in rows]


def is_usable(title: str, titles: Sequence[str]) -> bool:
    """Whether a title holds one of those that will do, and few further words; letters and digits count alone."""
    return any(_holds(title, one.split(" + ")) for one in titles)


def _holds(title: str, parts: Sequence[str]) -> bool:
    further = title_weight(title) - sum(map(title_weight, parts))
    return further <= FURTHER and all(_key(part) in _key(title) for part in parts)


def _key(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()
