"""What a query graph carries: the question, which each stage hands on knowing more, and what a leg has found."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from haystack import Document

from khub.components.errors import QueryError

LEGS = ("dense", "sparse")
"""What callers may ask for by name."""

TOP_K_LIMIT = 100
"""So many passages may be asked for."""
REACH = 2
"""So many candidates for each passage that is wanted: those that are shown are chosen from more."""


@dataclass(frozen=True)
class Question:
    """A question, as every stage of a query graph reads it; a stage makes a new one by `dataclasses.replace`.

    :param asked: as it was typed.
    :param text: what is searched: cleaned, without a greeting and without the words that became a filter.
    :param collection: name of the collection; the only one, or `default`, if None.
    :param filters: a Haystack metadata filter, or None.
    :param legs: names of the legs that the caller wants, None for all.
    :param top_k: so many passages are wanted; None for as many as the graph gives.
    :param intent: `{"name": "search" | "compare" | "chat", "confidence": from 0 to 1, "by"}`.
    :param reply: the answer to small talk; None for a question.
    :param sub_queries: what a comparison compares, a question each.
    :param applied_filters: `{"text", "from": "caller" | "question", "words"}` of each filter, `dropped` (why) where one
        was not applied, `unmatched` where it was and nothing matches it, and what `unknown_fields` says of it.
    :param preferences: `{"kind", "value", "words"}` of what the question names and the catalog knows.
    :param terms: tokens of the keyword index, without stop words; symbols where there are no words.
    :param phrases: the tokens of what is quoted, a list each.
    :param expansions: other words, `{"terms": tokens, "phrase": bool, "weight", "of": the word}` each.
    :param glosses: language -> the question word by word in it, and what its notions are called there.
    :param corrections: mistyped word -> the word of the documents that is searched for instead.
    """

    asked: str
    text: str = ""
    collection: str | None = None
    filters: dict[str, Any] | None = None
    legs: list[str] | None = None
    top_k: int | None = None
    intent: dict[str, Any] = field(default_factory=lambda: {"name": "search", "confidence": 1.0, "by": "default"})
    reply: str | None = None
    sub_queries: list[str] = field(default_factory=list)
    applied_filters: list[dict[str, Any]] = field(default_factory=list)
    preferences: list[dict[str, Any]] = field(default_factory=list)
    terms: list[str] = field(default_factory=list)
    phrases: list[list[str]] = field(default_factory=list)
    expansions: list[dict[str, Any]] = field(default_factory=list)
    glosses: dict[str, str] = field(default_factory=dict)
    corrections: dict[str, str] = field(default_factory=dict)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return itself: nobody changes it, and Haystack copies what several stages read."""
        return self

    def depth(self, own: int) -> int:
        """Return how many candidates a stage hands on: its own number, or more where many passages are wanted."""
        return max(own, REACH * (self.top_k or 0))


@dataclass(frozen=True)
class Leg:
    """What a retrieval leg has found, and what it says of itself.

    :param name: `dense`, `sparse`, or of another way to search.
    :param documents: best first, `score` being the leg's own.
    :param used: whether it searched.
    :param reason: why it did not, or what was odd.
    :param failed: whether it was to search, and could not.
    :param told: figures for the stages behind it, which the answer does not show.
    :param shown: figures that the answer shows beside name, use, hits and reason.
    :param vectors: language -> the vector that passages in it are compared with; "" for all others.
    :param cosines: chunk id -> cosine of the question with what it was compared with.
    """

    name: str
    documents: list[Document] = field(default_factory=list)
    used: bool = True
    reason: str = ""
    failed: bool = False
    told: dict[str, Any] = field(default_factory=dict)
    shown: dict[str, Any] = field(default_factory=dict)
    vectors: dict[str, np.ndarray] = field(default_factory=dict)
    cosines: dict[str, float] = field(default_factory=dict)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return itself, as a `Question` does."""
        return self

    @classmethod
    def left_out(cls, name: str, reason: str) -> "Leg":
        """Return a leg that did not search, for a reason that is no fault."""
        return cls(name, used=False, reason=reason)

    def report(self) -> dict[str, Any]:
        """Return what the answer shows of it."""
        about = {"name": self.name, "used": self.used, "hits": len(self.documents), "reason": self.reason}
        return {**about, **self.shown}


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
