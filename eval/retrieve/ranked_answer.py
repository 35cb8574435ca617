"""What a graph found for a question."""

from collections.abc import Sequence
from typing import Any, Literal, TypedDict

Places = Literal["ranked", "cited"]
"""The passages that reach the answer, or those that it cites."""


class RankedAnswer(TypedDict, total=False):
    """The ranking and the citations of one question; one that failed has `error` in their place.

    :ivar id: of the question, where the answer is kept.
    :ivar ranked: source and page of each passage that reaches the answer, best first.
    :ivar cited: the same of the citations.
    :ivar degraded: names of the stages that were replaced.
    :ivar cpu_ms: what it cost, where that was measured.
    """

    id: str
    error: str
    ranked: Sequence[Sequence[Any]]
    cited: Sequence[Sequence[Any]]
    abstained: bool
    degraded: list[str]
    seconds: float
    cpu_ms: float
