"""How asking a graph went."""

from typing import TypedDict


class AskingFigures(TypedDict):
    """What is said of the asking itself.

    :ivar total: questions.
    :ivar failed: `{id, error}` of those that failed.
    :ivar degraded: how many were answered with a stage replaced; so `abstained`.
    :ivar deepest: length of the longest ranking.
    :ivar median_ms: None where all failed.
    """

    total: int
    failed: list[dict[str, str]]
    degraded: int
    abstained: int
    deepest: int
    median_ms: float | None
