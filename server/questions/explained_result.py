"""A result of a question, explained."""

from typing import TypedDict


class ExplainedPassage(TypedDict):
    """Which passage it is.

    :ivar cited: whether the answer cites it; else it is one of the nearest, where nothing is cited.
    :ivar time_mark: of a recording: when the evidence is said.
    :ivar score: of the citation, or of the last stage that has the passage.
    :ivar scores: stage -> score, as the passage tells them.
    """

    chunk_id: str
    cited: bool
    title: str | None
    section: str | None
    source: str | None
    page: int | None
    time_mark: str | None
    score: float | None
    scores: dict[str, float]


class StagePlace(TypedDict):
    """Where a passage stood after a stage: rank from 1, and score where there is one."""

    rank: int
    score: float | None


class HeldTerm(TypedDict):
    """A term of the question that a passage holds (see `term_weights.TermWeight`)."""

    term: str
    count: int
    idf: float | None
    bm25: float | None


class HeldTerms(TypedDict):
    """The terms of the question that a passage holds, the weightiest first, and those that it does not hold."""

    terms: list[HeldTerm]
    missing: list[str]


class OtherWords(TypedDict):
    """A synonym or translation that a passage holds.

    :ivar of: the term of the question that it stands for, where that is known.
    """

    words: str
    of: str | None
    count: int


class ExplainedResult(ExplainedPassage, HeldTerms):
    """A passage with where it stood and what of the question it holds.

    :ivar stages: name of a stage -> its place, the legs first.
    """

    stages: dict[str, StagePlace]
    other_words: list[OtherWords]
