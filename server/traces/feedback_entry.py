"""What somebody said of a passage of an answer."""

from typing import TypedDict


class FeedbackEntry(TypedDict):
    """A line of the feedback log.

    :ivar time: ISO 8601 in UTC.
    :ivar caller: name of who said it; empty where nobody has one.
    :ivar trace_id: of the answer.
    :ivar right: whether it was a right answer.
    """

    time: str
    caller: str
    trace_id: str
    chunk_id: str
    right: bool
    note: str
