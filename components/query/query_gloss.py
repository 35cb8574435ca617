"""Say a Chinese question in English words, one after the other, for what the dense leg finds in English."""

from dataclasses import replace
from pathlib import Path

from haystack import component

from khub.components.errors import ParameterError
from khub.components.query.word_glosses import SHIPPED, Word, WordGlosses, read_word_glosses
from khub.components.question import Question


@component
class QueryGloss:
    """Replaces each Chinese word of the question by what it is called in English.

    That is no translation, but an embedder makes nearly as much of it, and errs in other ways than with the question
    itself: both vectors together find an English passage better than either. English words are not glossed: what
    Chinese words would stand for them says less than the question does.
    """

    def __init__(self, table: str | None = None, senses: int = 1) -> None:
        """Keep what to take.

        :param table: path of a table of words (see `read_word_glosses`); None for the one that ships.
        :param senses: so many glosses of each word are taken, the usual ones first, 1 or more.
        :raises GraphError: when `senses` is out of bounds.
        """
        if senses < 1:
            raise ParameterError(f"QueryGloss has senses={senses}", "give 1 or more")
        self.table = table
        self.senses = senses
        self._words: WordGlosses | None = None

    def warm_up(self) -> None:
        """Read the table.

        :raises KhubError: when the table is missing or damaged.
        """
        if self._words is None:
            self._words = read_word_glosses(Path(self.table).expanduser() if self.table else SHIPPED)

    @component.output_types(question=Question)
    def run(self, question: Question) -> dict[str, Question]:
        """Gloss the question.

        :returns: `question` with the gloss `en`, what that was behind it; as it was where none of its words has a
            gloss.
        :raises KhubError: as `warm_up` does.
        """
        self.warm_up()
        words = self._words.words(question.text) if self._words else []
        if not any(word.glosses for word in words):
            return {"question": question}
        gloss = " ".join(filter(None, [*map(self._said, words), question.glosses.get("en")]))
        return {"question": replace(question, glosses={**question.glosses, "en": gloss})}

    def _said(self, word: Word) -> str:
        if word.glosses:
            return " ".join(word.glosses[: self.senses])
        return "" if word.text.isalpha() and not word.text.isascii() else word.text.strip()
