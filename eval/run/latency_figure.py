"""How long the answers of a graph took."""

from typing import TypedDict


class LatencyFigure(TypedDict):
    """Percentiles in milliseconds.

    :ivar valid: how many questions were answered.
    :ivar total: of how many.
    """

    p50: float
    p95: float
    p99: float
    max: float
    valid: int
    total: int
