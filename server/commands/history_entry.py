"""An ingest in the history of the command line."""

from typing import TypedDict

from khub.components.failed_file import FailedFile


class HistoryEntry(TypedDict):
    """What is told of an ingest.

    :ivar by: the door by which it came.
    :ivar sources: files or addresses, or the folder of a sync.
    :ivar written: counts, None where it came to none; so the next ones.
    :ivar failures: the first of those that failed.
    """

    job_id: str
    kind: str
    state: str
    collection: str
    graph: str | None
    created_at: str
    finished_at: str | None
    error: str | None
    remedy: str | None
    by: str
    sources: list[str]
    written: int | None
    unchanged: int | None
    failed: int | None
    removed: int | None
    passed_over: int | None
    chunks: int | None
    seconds: float | None
    failures: list[FailedFile]
