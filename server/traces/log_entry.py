"""A line of the application log."""

from typing import TypedDict


class LogEntry(TypedDict, total=False):
    """What was logged; a line may be older than some of it.

    :ivar time: ISO 8601 in UTC.
    :ivar level: `WARNING`, `ERROR` …
    :ivar logger: name of the module.
    :ivar trace_id: of the run in which it was.
    """

    time: str
    level: str
    logger: str
    message: str
    trace_id: str
    traceback: str
