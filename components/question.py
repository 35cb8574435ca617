"""What a query graph carries: the question, which each stage hands on knowing more, and what a leg has found."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from haystack import Document

from khub.components.answer import AppliedFilter, LegReport, Preference
from khub.components.catalog.catalog import open_catalog
from khub.components.errors import QueryError
from khub.components.text.question_language import question_language
from khub.components.value import Value

LEGS = ("dense", "sparse")
"""What callers may ask for by name."""

TOP_K_LIMIT = 100
"""So many passages may be asked for."""
REACH = 2
"""So many candidates for each passage that is wanted: those that are shown are chosen from more."""


@dataclass(frozen=True)
class Intent(Value):
    """What a message wants.

    :param name: `search`, `compare` or `chat`.
    :param confidence: from 0 to 1.
    :param by: `rules`, `llm` or `default`.
    """

    name: str
    confidence: float
    by: str


SEARCH = Intent("search", 1.0, "default")


@dataclass(frozen=True)
class Expansion(Value):
    """Another word for one of the question, which the keyword leg looks for, too.

    A translation does not make the question's word a known one: a passage in the other language seldom holds as many
    of the words as one in the question's own.

    :param terms: its tokens; several are a phrase.
    :param weight: beside that of a word of the question, above 0.
    :param of: the word of the question; empty where it stands for no single one.
    :param text: the other word as it is written.
    """

    terms: list[str]
    phrase: bool
    weight: float
    of: str
    text: str = ""
    translated: bool = False


@dataclass(frozen=True)
class Question(Value):
    """A question, as every stage of a query graph reads it; a stage makes a new one by `dataclasses.replace`.

    :param asked: as it was typed.
    :param text: what is searched: cleaned, without a greeting and without the words that became a filter.
    :param collection: name of the collection, as `Question.of` finds it; None for small talk.
    :param filters: a Haystack metadata filter, or None.
    :param legs: names of the legs that the caller wants, None for all.
    :param top_k: so many passages are wanted; None for as many as the graph gives.
    :param reply: the answer to small talk; None for a question.
    :param sub_queries: what a comparison compares, a question each.
    :param preferences: what the question names and the catalog knows.
    :param terms: tokens of the keyword index, without stop words; symbols where there are no words.
    :param phrases: the tokens of what is quoted, a list each.
    :param glosses: language -> the question word by word in it, and what its notions are called there.
    :param corrections: mistyped word -> the word of the documents that is searched for instead.
    :param language: in which it is asked, see `khub.components.text.question_language`.
    """

    asked: str
    text: str = ""
    collection: str | None = None
    filters: dict[str, Any] | None = None
    legs: list[str] | None = None
    top_k: int | None = None
    intent: Intent = SEARCH
    reply: str | None = None
    sub_queries: list[str] = field(default_factory=list)
    applied_filters: list[AppliedFilter] = field(default_factory=list)
    preferences: list[Preference] = field(default_factory=list)
    terms: list[str] = field(default_factory=list)
    phrases: list[list[str]] = field(default_factory=list)
    expansions: list[Expansion] = field(default_factory=list)
    glosses: dict[str, str] = field(default_factory=dict)
    corrections: dict[str, str] = field(default_factory=dict)
    language: str = ""

    def __post_init__(self) -> None:
        if not self.language:
            object.__setattr__(self, "language", question_language(self.asked))

    @classmethod
    def of(cls, asked: str, collection: str | None, **known: Any) -> Self:
        """Return a question to a collection.

        :param collection: its name; the only one, or `default`, if None.
        :param known: further fields.
        :raises CollectionError: if there is no such collection, or none was named and several could be meant.
        """
        return cls(asked, collection=open_catalog().collections.resolve(collection), **known)

    @property
    def collection_name(self) -> str:
        """Return the collection that is searched: of a question that was made without one, what `of` would find."""
        return self.collection or open_catalog().collections.resolve(None)

    def depth(self, own: int) -> int:
        """Return how many candidates a stage hands on: its own number, or more where many passages are wanted."""
        return max(own, REACH * (self.top_k or 0))


@dataclass(frozen=True)
class KeywordSigns(Value):
    """What the keyword index knows of a question's terms.

    :param coverage: share of the terms that it knows; None where nothing was searched.
    :param rarity: inverse document frequency of each term in the whole index; empty where that is kept from the caller.
    :param filtered: whether a filter leaves only a part of the index.
    :param unknown: names and codes that no chunk holds.
    :param elsewhere: those of them that may stand in another language in a spelling that is not known.
    :param spelled: (term, regular expression for the characters in which Chinese documents hold it).
    """

    coverage: float | None = None
    rarity: dict[str, float] = field(default_factory=dict)
    filtered: bool = False
    unknown: Sequence[str] = ()
    elsewhere: Sequence[str] = ()
    spelled: Sequence[tuple[str, str]] = ()


NO_SIGNS = KeywordSigns()


@dataclass(frozen=True)
class Leg(Value):
    """What a retrieval leg has found, and what it says of itself.

    :param name: `dense`, `sparse`, or of another way to search.
    :param documents: best first, `score` being the leg's own.
    :param used: whether it searched.
    :param reason: why it did not, or what was odd.
    :param failed: whether it was to search, and could not.
    :param signs: of the keyword leg.
    :param spread: standard deviation of the question's cosine to passages at random; None where it is not known.
    :param weight: of a further leg of cosines, beside the ranking by all others.
    :param vectors: language -> the vector that passages in it are compared with; "" for all others.
    :param behind: so many commits of other machines the index does not hold yet.
    :param cosines: chunk id -> cosine of the question with what it was compared with.
    """

    name: str
    documents: list[Document] = field(default_factory=list)
    used: bool = True
    reason: str = ""
    failed: bool = False
    signs: KeywordSigns = NO_SIGNS
    spread: float | None = None
    weight: float = 0.0
    vectors: dict[str, np.ndarray] = field(default_factory=dict)
    cosines: dict[str, float] = field(default_factory=dict)
    behind: int = 0

    @classmethod
    def left_out(cls, name: str, reason: str) -> "Leg":
        """Return a leg that did not search, for a reason that is no fault."""
        return cls(name, used=False, reason=reason)

    def report(self) -> LegReport:
        """Return what the answer shows of it."""
        signs = self.signs
        return LegReport(self.name, self.used, len(self.documents), self.reason, signs.coverage, signs.unknown)


def check_legs(legs: Sequence[str] | None) -> None:
    """Refuse names of legs that do not exist.

    :param legs: those that a caller wants, None for all.
    :raises QueryError: naming the unknown leg.
    """
    unknown = [leg for leg in legs or () if leg not in LEGS]
    if unknown or legs == []:
        raise QueryError(
            f"leg {unknown[0]!r} is unknown" if unknown else "no leg is wanted", f"name some of: {', '.join(LEGS)}"
        )


def check_top_k(top_k: int | None) -> None:
    """Refuse more passages than may be asked for, or none.

    :param top_k: so many that a caller wants, None for the graph's own number.
    :raises QueryError: when it is out of bounds.
    """
    if top_k is not None and not 1 <= top_k <= TOP_K_LIMIT:
        raise QueryError(f"top_k is {top_k}", f"ask for 1 to {TOP_K_LIMIT} passages")
