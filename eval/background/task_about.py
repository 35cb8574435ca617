"""What a task runs."""

from typing import TypedDict


class TaskAbout(TypedDict):
    """A command in the background.

    :ivar program: one of those that tasks run.
    :ivar words: its arguments.
    :ivar started: ISO 8601 in UTC.
    :ivar caller: name of who started it.
    """

    program: str
    words: list[str]
    started: str
    caller: str
