"""What the foundation was measured to do."""

from typing import TypedDict


class UnchangedResult(TypedDict):
    """An ingest of files that are as they were: how many a second, and how many were written again all the same."""

    files: int
    first_seconds: float
    written_again: int
    files_per_s: float


class CommandCosts(TypedDict):
    """Seconds of a command from its start to its end, and of the processor (median)."""

    runs: int
    median_s: float
    max_s: float
    cpu_s: float


class ColdResult(TypedDict):
    """A question from the shell, with no other process, and beside one that has loaded the hub.

    :ivar torch: whether it is installed.
    """

    torch: bool
    alone: CommandCosts
    beside: CommandCosts


class McpStartResult(TypedDict):
    """A server of MCP from its start to its first answer: seconds of the processor and the clock, and its memory."""

    torch: bool
    runs: int
    cpu_s: float
    memory_mb: int
    median_s: float


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


class GrowthRow(TypedDict):
    """What a question costs in a collection of a size; the stages as medians of the clock, some beside each other."""

    chunks: int
    cpu_ms: float
    p50_ms: float
    stages_ms: dict[str, float]
