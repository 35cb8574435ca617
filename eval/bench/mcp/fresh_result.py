"""Whether answers are fresh while documents change."""

from typing import TypedDict


class FreshResult(TypedDict):
    """Counts of changes and looks, of answers that lacked what was there or showed what was not, and of questions."""

    servers: int
    minutes: float
    rounds: int
    checks: int
    stale: int
    ghosts: int
    asked: int
    errors: int
    degraded: int
    not_json_rpc: int
    doctor: str
