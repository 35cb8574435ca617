"""Mark the sentence of a passage that answers best."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np

from khub.components.answers.asked_number import asked_number, numbers_in
from khub.components.answers.editions import NEWEST
from khub.components.embedders.static_model import StaticModel
from khub.components.question import Expansion, Question
from khub.components.text.codes import codes_in, codes_of_heading, is_label
from khub.components.text.edition_marks import newest_date
from khub.components.text.heading_path import JOINT
from khub.components.text.sentence_ends import sentence_spans
from khub.components.text.stopwords import search_terms
from khub.components.text.symbols import index_terms, symbols_in
from khub.components.text.tokenizer import tokenize

NUMBERED = 2.0
"""How much more a sentence with a number of its own counts where the question asks for one."""

ALIKE_WEIGHT = 0.5
"""Of the cosine of question and sentence, beside its share of the most words: chosen on the half `choose` of
`khub.eval.lab.answers`."""
INHERITED = 0.5
"""Of the words of the heading under which a sentence stands, and that it does not say again."""
HEADING = 1e-6
"""Of a heading, or the head of a table: it is marked where nothing else is worth it."""

OF_A_LABEL = 7
"""Level of a line of its own that holds a code alone: below all headings."""

IMAGE = re.compile(r"\[IMAGE:[^\[\]\n]*+\]")
_HEADING = re.compile(r"(#{1,6})\s")
_ROW = re.compile(r"^[ \t]*(\|.*)$", re.MULTILINE)
_DECIMAL = re.compile(r"\d+\.\d+")
"""What is a section where its heading is seen; a question may as well have it as an amount."""
_DELIMITER = re.compile(r"\|(?:[ \t]*:?-+:?[ \t]*\|)+")


class _Rank(NamedTuple):
    """What speaks for a sentence: below the code that is asked for, words, words of a heading, date."""

    under: int = 0
    worth: float = 0.0
    as_heading: float = 0.0
    date: str = ""
    heads: bool = False
    whole: str = ""


@dataclass(frozen=True)
class Highlighter:
    """Finds the sentence of a passage with the most of the question's terms, rare ones weighing more.

    :param weights: term of the question -> weight.
    :param others: term -> its synonyms and translations: the tokens of each, and the part of the weight that it counts.
    :param numbers: where a number is asked for, those that the question holds itself; None for any other question.
    :param codes: versions, sections, parts and days that the question names (`khub.components.text.codes`).
    :param newest: whether the newest is asked for: of equally good sentences, that of the latest date.
    :param model: embeds sentences, which are compared with the question by meaning, too; None for words alone.
    :param asked: language of a passage -> vectors of the question as it is compared with it, "" for any other; float32
        (questions, dimension).
    """

    weights: dict[str, float]
    others: dict[str, list[tuple[frozenset[str], float]]] = field(default_factory=dict)
    numbers: frozenset[str] | None = None
    codes: frozenset[str] = frozenset()
    newest: bool = False
    model: StaticModel | None = None
    asked: dict[str, np.ndarray] = field(default_factory=dict)

    @classmethod
    def of(cls, question: Question, rarity: Mapping[str, float], model: StaticModel | None = None) -> Self:
        """Return the highlighter for a question.

        :param question: `text` and `expansions` are what is looked for, `asked` tells whether a number is wanted.
        :param rarity: inverse document frequency of the terms that the collection knows; one that it does not know
            counts as its rarest.
        :param model: see `Highlighter`; in another language, the question's gloss is compared, too.
        """
        rarest = max(rarity.values(), default=1.0)
        asked = question.text or question.asked
        weights = {term: rarity.get(term, rarest) for term in (*search_terms(asked), *symbols_in(asked))}
        newest = any(one.kind in NEWEST for one in question.preferences)
        others, numbers = _others(question.expansions, weights), asked_number(question.asked)
        vectors = {"": model.encode([asked])} if model else {}
        vectors |= {to: model.encode([asked, gloss]) for to, gloss in question.glosses.items()} if model else {}
        return cls(weights, others, numbers, codes_in(asked), newest, model, vectors)

    def sentence(self, text: str, section: str = "", language: str = "") -> str:
        """Return the sentence of one passage that answers best (see `sentences`)."""
        return self.sentences([Marked(text, section, language)])[0]

    def sentences(self, passages: Sequence["Marked"]) -> list[str]:
        """Return the sentence of each passage that answers best.

        A row of a table is one sentence; where it has a term itself, those of the table's header count for it, too.
        Where the question names a code, a sentence under a heading that holds just this code comes first.

        :returns: parts of the texts as they stand there, the first of equally good ones; a heading or the header of a
            table only where no other sentence has a term; "" where none has.
        """
        ranked = [self._ranked(one.text, one.section) for one in passages]
        alike = self._alike(ranked, [one.language for one in passages])
        return [self._best(of, likeness) for of, likeness in zip(ranked, alike, strict=True)]

    def _best(self, ranked: Sequence[tuple[str, "_Rank"]], likeness: Sequence[float]) -> str:
        best, most = "", (0, -1.0, "")
        for (sentence, rank), value in zip(ranked, self._values(ranked, likeness), strict=True):
            if (rank.under or value > 0) and (rank.under, value, rank.date) > most:
                best, most = sentence, (rank.under, value, rank.date)
        return best

    def _values(self, ranked: Sequence[tuple[str, "_Rank"]], likeness: Sequence[float]) -> list[float]:
        """Return how well each sentence answers, by words and meaning; a heading by its words, behind all others."""
        most = max((rank.worth for _, rank in ranked), default=0.0) or 1.0
        headings = max((rank.as_heading for _, rank in ranked), default=0.0) or 1.0
        return [
            HEADING * rank.as_heading / headings if rank.heads else rank.worth / most + ALIKE_WEIGHT * alike
            for (_, rank), alike in zip(ranked, likeness, strict=True)
        ]

    def _alike(self, passages: Sequence[Sequence[tuple[str, "_Rank"]]], languages: Sequence[str]) -> list[list[float]]:
        """Return how near each sentence of each passage is to the question; 0 where that could change nothing.

        All are embedded in one go.
        """
        likeness = [[0.0] * len(ranked) for ranked in passages]
        if self.model is None or not self.asked:
            return likeness
        places = [_undecided([rank for _, rank in ranked]) for ranked in passages]
        wholes = [ranked[at][1].whole for ranked, of in zip(passages, places, strict=True) for at in of]
        vectors, start = self.model.encode(wholes), 0
        for of, alike, language in zip(places, likeness, languages, strict=True):
            cosines = vectors[start : start + len(of)] @ self.asked.get(language, self.asked[""]).T
            for at, value in zip(of, cosines.mean(axis=1).clip(0).tolist(), strict=True):
                alike[at] = value
            start += len(of)
        return likeness

    def _ranked(self, text: str, section: str) -> list[tuple[str, "_Rank"]]:
        ranked: list[tuple[str, _Rank]] = []
        headings = _Headings(section)
        for sentence, header in _sentences(text):
            says = any(map(str.isalnum, sentence))
            heads = headings.take(sentence, bool(self.codes)) or sentence == header or not says
            below = headings.below(self.codes)
            worth = self._worth(sentence, header, below or "", "" if heads else headings.text())
            whole = f"{header}\n{sentence}" if header and not heads else sentence
            if heads:
                ranked.append((sentence, _Rank(heads=True, as_heading=worth, whole=whole)))
            else:
                under = int(below is not None)
                ranked.append((sentence, _Rank(under, worth, date=self._date(sentence, headings), whole=whole)))
        return ranked

    def _date(self, sentence: str, headings: "_Headings") -> str:
        return (newest_date(sentence) or newest_date(headings.text())) if self.newest else ""

    def _worth(self, sentence: str, header: str, below: str, above: str) -> float:
        bare = IMAGE.sub("", sentence)
        own = set(index_terms(f"{below}\n{bare}"))
        worth = self._held(own)
        if worth and header:
            own |= set(tokenize(header))
            worth = self._held(own)
        if worth and above:
            worth += INHERITED * (self._held(own.union(tokenize(above))) - worth)
        gives = worth and self.numbers is not None and not numbers_in(bare) <= self.numbers
        return worth * (NUMBERED if gives else 1.0)

    def _held(self, tokens: set[str]) -> float:
        worth = sum(self.weights[term] for term in self.weights.keys() & tokens)
        for term in self.others.keys() - tokens:
            worth += self.weights[term] * max((share for way, share in self.others[term] if way <= tokens), default=0.0)
        return worth


def _undecided(ranks: Sequence["_Rank"]) -> list[int]:
    """Return the places of the sentences that likeness, which is 1 at most, may yet make the best by their words."""
    under = max((rank.under for rank in ranks if not rank.heads), default=0)
    most = max((rank.worth for rank in ranks), default=0.0) or 1.0
    best = max((rank.worth for rank in ranks if not rank.heads and rank.under == under), default=0.0)
    return [
        at
        for at, rank in enumerate(ranks)
        if not rank.heads and rank.under == under and rank.worth + ALIKE_WEIGHT * most >= best
    ]


class Marked(NamedTuple):
    """A passage of which a sentence is marked.

    :param section: the headings under which it begins, "A > B".
    """

    text: str
    section: str = ""
    language: str = ""


class _Headings:
    """The headings above a sentence, the outermost first, while a passage is read from its beginning.

    :param section: those under which it begins.
    """

    def __init__(self, section: str) -> None:
        self._path = [(level, heading) for level, heading in enumerate(section.split(JOINT), start=1) if heading]
        self._seen = False

    def take(self, sentence: str, labels: bool) -> bool:
        """Read a sentence on; say whether it is a heading itself.

        :param labels: whether a line that holds a code alone is one.
        """
        match = _HEADING.match(sentence)
        row = sentence.startswith("|")  # whose cells may look like one: a version and its date
        level = len(match[1]) if match else OF_A_LABEL if labels and not row and is_label(sentence) else 0
        if level:
            self._seen = True
            self._path = [(above, heading) for above, heading in self._path if above < level]
            self._path.append((level, sentence.lstrip("# ")))
        return bool(level)

    def below(self, codes: frozenset[str]) -> str | None:
        """Return the headings below the innermost one that holds one of the codes; None where none does."""
        codes = codes if self._seen else frozenset(code for code in codes if not _DECIMAL.fullmatch(code))
        for place in reversed(range(len(self._path) if codes else 0)):
            if not codes.isdisjoint(codes_of_heading(self._path[place][1])):
                return "\n".join(heading for _, heading in self._path[place + 1 :])
        return None

    def text(self) -> str:
        """Return the innermost heading."""
        return self._path[-1][1] if self._path else ""


def _others(expansions: Sequence[Expansion], terms: Mapping[str, float]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for other in expansions:
        # a translation is one of a term, and a synonym one of a word as it was typed
        for term in {other.of} & terms.keys() or terms.keys() & set(tokenize(other.of)):
            found.setdefault(term, []).append((frozenset(other.terms), min(other.weight, 1.0)))
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
