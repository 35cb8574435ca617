"""Mark the sentence of a passage that answers best."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from components.answers.asked_number import asked_number, numbers_in
from components.query.stopwords import without_stopwords
from components.question import Question
from components.text.sentence_ends import sentence_spans
from components.text.tokenizer import tokenize

NUMBERED = 2.0
"""How much more a sentence with a number of its own counts where the question asks for one."""

IMAGE = re.compile(r"\[IMAGE:[^\[\]\n]*+\]")
_HEADING = re.compile(r"#{1,6}\s")
_ROW = re.compile(r"^[ \t]*(\|.*)$", re.MULTILINE)
_DELIMITER = re.compile(r"\|(?:[ \t]*:?-+:?[ \t]*\|)+")


@dataclass(frozen=True)
class Highlighter:
    """Finds the sentence of a passage with the most of the question's terms, rare ones weighing more.

    :param weights: term of the question -> weight.
    :param others: term -> its synonyms and translations: the tokens of each, and the part of the weight that it counts.
    :param numbers: where a number is asked for, those that the question holds itself; None for any other question.
    """

    weights: dict[str, float]
    others: dict[str, list[tuple[frozenset[str], float]]] = field(default_factory=dict)
    numbers: frozenset[str] | None = None

    @classmethod
    def of(cls, question: Question, rarity: Mapping[str, float]) -> Self:
        """Return the highlighter for a question.

        :param question: `text` and `expansions` are what is looked for, `asked` tells whether a number is wanted.
        :param rarity: inverse document frequency of the terms that the collection knows; one that it does not know
            counts as its rarest.
        """
        rarest = max(rarity.values(), default=1.0)
        weights = {term: rarity.get(term, rarest) for term in without_stopwords(question.text or question.asked)}
        return cls(weights, _others(question.expansions, weights), asked_number(question.asked))

    def sentence(self, text: str) -> str:
        """Return the sentence that answers best.

        A row of a table is one sentence; where it has a term itself, those of the table's header count for it, too.

        :param text: a passage.
        :returns: a part of the text as it stands there, the first of equally good ones; a heading or the header of a
            table only where no other sentence has a term; "" where none has.
        """
        best, most = "", (0.0, 0.0)
        for sentence, header in _sentences(text):
            worth = self._worth(sentence, header)
            rank = (0.0 if sentence == header or _HEADING.match(sentence) else worth, worth)
            if rank > most:
                best, most = sentence, rank
        return best

    def _worth(self, sentence: str, header: str) -> float:
        bare = IMAGE.sub("", sentence)
        own = set(tokenize(bare))
        worth = self._held(own)
        if worth and header:
            worth = self._held(own.union(tokenize(header)))
        gives = worth and self.numbers is not None and not numbers_in(bare) <= self.numbers
        return worth * (NUMBERED if gives else 1.0)

    def _held(self, tokens: set[str]) -> float:
        worth = sum(self.weights[term] for term in self.weights.keys() & tokens)
        for term in self.others.keys() - tokens:
            worth += self.weights[term] * max((share for way, share in self.others[term] if way <= tokens), default=0.0)
        return worth


def _others(expansions: Sequence[Mapping[str, Any]], terms: Mapping[str, float]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for other in expansions:
        # a translation is one of a term, and a synonym one of a word as it was typed
        for term in {other["of"]} & terms.keys() or terms.keys() & set(tokenize(other["of"])):
            found.setdefault(term, []).append((frozenset(other["terms"]), min(other["weight"], 1.0)))
    return found


def _sentences(text: str) -> list[tuple[str, str]]:
    """Return each sentence with the header of its table, "" outside of one; a header is its own."""
    found: list[tuple[str, str]] = []
    header = ""
    for part in _ROW.split(text):
        if part.startswith("|"):
            if found and _DELIMITER.fullmatch(part.strip()):
                header = found[-1][0]
                found[-1] = (header, header)
            found.append((part.strip(), header))
        elif part.strip():
            header = ""
            found += [(part[slice(*span)].strip(), "") for span in sentence_spans(part)]
    return found
