"""What a vanished client leaves behind."""

from typing import TypedDict


class LeftBehind(TypedDict):
    """The processes: how many there were, how long they lived on, and how many stayed."""

    processes: int
    gone_s: float
    stayed: int
    bad_lines: list[str]


class WholeAgain(TypedDict):
    """Whether the hub is whole, and the state of the job that was done again."""

    job_again: str
    whole: bool


class VanishResult(LeftBehind, WholeAgain):
    """Both."""
