"""Say a Chinese question in English words, one after the other, for what the dense leg finds in English."""

from typing import Any

from haystack import component

from components.errors import GraphError
from components.query.word_glosses import Word, WordGlosses, read_word_glosses


@component
class QueryGloss:
    """Replaces each Chinese word of the question by what it is called in English.

    That is no translation, but an embedder makes nearly as much of it, and errs in other ways than with the question
    itself: both vectors together find an English passage better than either. English words are not glossed: what
    Chinese words would stand for them says less than the question does.
    """

    def __init__(self, model: str = "khub-base", senses: int = 1) -> None:
        """Keep what to take.

        :param model: name of a shipped model, or path of a model folder, that has a table of words.
        :param senses: so many glosses of each word are taken, the usual ones first, 1 or more.
        :raises GraphError: when `senses` is out of bounds.
        """
        if senses < 1:
            raise GraphError(f"QueryGloss has senses={senses}", "give 1 or more")
        self.model = model
        self.senses = senses
        self._table: WordGlosses | None = None

    def warm_up(self) -> None:
        """Read the table.

        :raises KhubError: when there is no such model, or its table is missing or damaged.
        """
        if self._table is None:
            self._table = read_word_glosses(self.model)

    @component.output_types(glosses=dict[str, str])
    def run(self, query: str) -> dict[str, Any]:
        """Gloss the question.

        :param query: the question.
        :returns: `glosses`: `{"en": text}`, the question word by word; empty where none of its words has a gloss.
        :raises KhubError: as `warm_up` does.
        """
        self.warm_up()
        words = self._table.words(query) if self._table else []
        if not any(word.glosses for word in words):
            return {"glosses": {}}
        return {"glosses": {"en": " ".join(filter(None, map(self._said, words)))}}

    def _said(self, word: Word) -> str:
        if word.glosses:
            return " ".join(word.glosses[: self.senses])
        return "" if word.text.isalpha() and not word.text.isascii() else word.text.strip()
