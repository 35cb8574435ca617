"""How many questions a service answers."""

from typing import NotRequired, TypedDict


class ServiceRate(TypedDict):
    """A rate, how many requests failed, and percentiles of the latency where there is one."""

    questions_per_s: float
    errors: int
    p50_ms: NotRequired[float]
    p95_ms: NotRequired[float]


class ServiceRow(ServiceRate):
    """What was asked, in how many processes."""

    what: str
    workers: int


class ServiceResult(TypedDict):
    """All of it, over so many chunks, by so many clients."""

    chunks: int
    clients: int
    rows: list[ServiceRow]
    machine: str
    date: str
