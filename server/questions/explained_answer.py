"""Why an answer cites what it cites, as JSON can hold it."""

from typing import Any, TypedDict

from khub.components.degraded_entry import DegradedEntry
from khub.server.questions.explained_leg import ExplainedLeg
from khub.server.questions.explained_question import ExplainedQuestion
from khub.server.questions.explained_result import ExplainedResult


class ExplainedStage(TypedDict):
    """What a stage of the run did.

    :ivar method: name of the class that does the work.
    :ivar documents: how many it gave, of its longest list; None where it gave none.
    """

    name: str
    method: str
    ms: float
    documents: int | None
    degraded: list[DegradedEntry]


class ExplainedAnswer(TypedDict):
    """The question, the legs, the stages and the results.

    :ivar question: what the stages made of it, its `terms`, and their `weights` (inverse document frequencies).
    :ivar filters: `given`, the caller's; `applied`, with those found in the question.
    :ivar legs: reports of the legs (`LegReport`).
    """

    question: ExplainedQuestion
    filters: dict[str, Any]
    confidence: float
    legs: list[ExplainedLeg]
    stages: list[ExplainedStage]
    results: list[ExplainedResult]
