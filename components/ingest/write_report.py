"""What was written of a batch."""

from typing import NotRequired, TypedDict

from khub.components.degraded_entry import DegradedEntry
from khub.components.failed_file import FailedFile
from khub.components.written_document import WrittenDocument


class WriteReport(TypedDict):
    """What became of the files of a batch.

    :ivar removed: sources of files that a mail has no more, if there are any.
    """

    collection: str
    written: list[WrittenDocument]
    failed: list[FailedFile]
    degraded: list[DegradedEntry]
    removed: NotRequired[list[str]]
