"""What a reindex did."""

from typing import NotRequired, TypedDict

from khub.components.degraded_entry import DegradedEntry
from khub.components.failed_file import FailedFile
from khub.components.written_document import WrittenDocument


class ReindexResult(TypedDict):
    """What became of a collection; with a named graph, also of the documents that went through its stages.

    :ivar chunks: how many were embedded, or had their vectors.
    :ivar left: why indexes of before could not be deleted.
    :ivar stages: names of the stages; the others are as in `Enriched`.
    """

    collection: str
    chunks: int
    graph: str
    left: list[str]
    stages: NotRequired[list[str]]
    enriched: NotRequired[list[WrittenDocument]]
    overtaken: NotRequired[list[str]]
    failed: NotRequired[list[FailedFile]]
    degraded: NotRequired[list[DegradedEntry]]
