"""A question that went wrong."""

from typing import TypedDict

from khub.eval.place_row import PlaceRow


class FoundPlace(TypedDict):
    """A passage that was cited in place of a right one; `text` is its beginning."""

    source: str
    page: int | None
    section: str
    text: str


class WorstQuestion(TypedDict):
    """What was asked, what answers it, and what was found.

    :ivar problem: one of `worst.PROBLEMS`.
    :ivar score: its nDCG@10.
    :ivar answer: in words, where somebody wrote it down.
    :ivar relevant: the places that answer it.
    :ivar confidence: of the answer that was given; None where it failed.
    """

    case_id: str
    question: str
    language: str
    kind: str
    problem: str
    score: float | None
    answer: str | None
    relevant: list[PlaceRow]
    confidence: float | None
    error: str | None
    trace_id: str | None
    found: list[FoundPlace]


class WorstQuestions(TypedDict):
    """Problem -> number of questions, and the worst of each."""

    problems: dict[str, int]
    worst: list[WorstQuestion]
