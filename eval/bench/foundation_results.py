"""What the foundation was measured to do."""

from typing import TypedDict


class UnchangedResult(TypedDict):
    """An ingest of files that are as they were: how many a second, and how many were written again all the same."""

    files: int
    first_seconds: float
    written_again: int
    files_per_s: float


class ColdResult(TypedDict):
    """Seconds of a question from the start of its process."""

    runs: int
    median_s: float
    max_s: float


class CpuResult(TypedDict):
    """Milliseconds of a question, of all threads and of the clock."""

    questions: int
    cpu_ms: float
    wall_ms: float


class ThroughputResult(TypedDict):
    """Questions that one process answers in a second, over so many chunks."""

    chunks: int
    questions: int
    questions_per_s: float
    degraded: int
