"""What a job has done, in numbers."""

from typing import TypedDict

from khub.components.degraded_entry import DegradedEntry
from khub.components.failed_file import FailedFile


class JobResult(TypedDict, total=False):
    """The counts of an ingest or a sync, and the first of what did not go as it should; of a reindex see `reindex`.

    :ivar failures: the first of those that failed.
    :ivar overtaken: files that a job brings which was asked for later.
    :ivar kept: documents that are there although a walk of their folder leaves their files out.
    :ivar not_read: `{source, reason}` of the first of those passed over.
    :ivar gone_and_kept: of a sync: documents whose file is gone, and that nobody agreed to lose.
    :ivar emptied: of a sync: folders of which nothing is left.
    """

    written: int
    chunks: int
    unchanged: int
    failed: int
    failures: list[FailedFile]
    removed: int
    overtaken: int
    kept: int
    passed_over: int
    ignored: int
    not_read: list[dict[str, str]]
    degraded: list[DegradedEntry]
    seconds: float
    gone_and_kept: int
    emptied: list[str]
