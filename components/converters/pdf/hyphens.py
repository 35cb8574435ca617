"""Lines joined to running text; a word that a line end cut is put together again."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from khub.components.converters.pdf.scripts import join

_HYPHENS = "-\u2010\u00ad"
_LONGEST_WORD = 60
_CUT = re.compile(r"(?<![^\W\d_])([^\W\d_]{2,}+)[-\u2010\u00ad]$")
_REST = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")


class Hyphens:
    """Decides whether the hyphen at a line end belongs to the word.

    :param vocabulary: how often each word (lower case, hyphens kept) stands in the document, away from line ends.
    """

    def __init__(self, vocabulary: Counter[str] | None = None) -> None:
        self.vocabulary = vocabulary or Counter()
        self.joined = 0

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Hyphens":
        """Learn the words of a document's lines."""
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(_WORD.findall(text.casefold()))
        return cls(counts)

    def join_two(self, before: str, after: str) -> str:
        """Join two stretches of text that a line end parts."""
        cut = _CUT.search(before[-_LONGEST_WORD:]) if before[-1:] in _HYPHENS else None
        rest = _REST.match(after)
        if not cut or not rest or not after[0].islower():
            # "state-of-the-" goes on as it is, as does "COVID-" with "19" or "Anglo-" with "American".
            glued = cut is not None and rest is not None
            return before + after if glued else join(before, after)
        self.joined += 1
        head, tail = cut[1].casefold(), rest[0].casefold()
        if self.vocabulary[f"{head}-{tail}"] > self.vocabulary[head + tail]:
            return before + after
        return before[:-1] + after

    def join_lines(self, lines: Sequence[str]) -> str:
        """Join the lines of one paragraph or cell."""
        text = ""
        for line in lines:
            text = self.join_two(text, line) if text else line
        return text
