"""What is said of a stage for which something simpler stands in."""

from typing import NotRequired, TypedDict


class DegradedEntry(TypedDict):
    """Why a stage was replaced by the next best thing, in a report.

    :ivar stage: its name.
    :ivar source: of the document, where it was so in one alone.
    :ivar chunks: in how many of its chunks, then.
    :ivar pages: numbers of its pages that could not be read.
    :ivar attachments: some of the names of files attached to a mail that were left out.
    :ivar count: how many were.
    :ivar collection: where several were asked: in which one.
    """

    stage: str
    reason: str
    remedy: NotRequired[str]
    source: NotRequired[str]
    chunks: NotRequired[int]
    pages: NotRequired[list[int]]
    attachments: NotRequired[list[str]]
    count: NotRequired[int]
    collection: NotRequired[str]
