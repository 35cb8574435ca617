"""What mixed requests beside a job came to."""

from typing import TypedDict

from khub.components.catalog.job_progress import JobProgress
from khub.components.catalog.job_result import JobResult


class JobState(TypedDict):
    """A job at its end; `result` names files without their folders."""

    state: str
    progress: JobProgress | None
    result: JobResult


class PurityResult(TypedDict):
    """Lines that were no JSON-RPC, and replies that were lost, came twice or were errors."""

    queries: int
    lines: int
    not_json_rpc: int
    first_bad_lines: list[str]
    lost: int
    duplicate: int
    protocol_errors: int
    tool_errors: int
    seconds: float
    job: JobState
