"""What a question takes over the protocol."""

from typing import TypedDict


class LatencyResult(TypedDict):
    """Milliseconds over the protocol and in process; `added_p50_ms` is the median of what a question took longer."""

    graph: str
    chunks: int
    queries: int
    in_process_p50_ms: float
    stdio_p50_ms: float
    stdio_p99_ms: float
    added_p50_ms: float
    difference_of_p50_ms: float
