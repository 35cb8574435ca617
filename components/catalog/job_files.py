"""What became of each file of a job."""

from typing import TypedDict

from khub.components.degraded_entry import DegradedEntry
from khub.components.failed_file import FailedFile
from khub.components.written_document import WrittenDocument


class JobFiles(TypedDict, total=False):
    """The lists of files that a job keeps; a command keeps those that failed alone.

    :ivar unchanged: sources; so `removed`, `overtaken` and `kept`.
    :ivar passed_over: `{source, reason}`.
    """

    written: list[WrittenDocument]
    unchanged: list[str]
    failed: list[FailedFile]
    passed_over: list[dict[str, str]]
    degraded: list[DegradedEntry]
    removed: list[str]
    overtaken: list[str]
    kept: list[str]
