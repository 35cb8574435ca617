"""Time marks: where in a recording something is said, as people write it."""

import re
from collections.abc import Sequence

_MARK = re.compile(r"(?:\d{1,4}:)?\d{1,2}:\d{2}")
_BEGINS = re.compile(rf"\[{_MARK.pattern}\] ")
TimeMarks = list[list[int]]
"""`[offset in a text, seconds]` of each thing said, in order."""


def time_mark(seconds: float) -> str:
    """Return a time as `12:40`, or `1:02:40` from an hour on."""
    minutes, rest = divmod(max(int(seconds), 0), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def is_time_mark(text: str) -> bool:
    """Say whether a text is a time as `time_mark` writes it."""
    return bool(_MARK.fullmatch(text))


def seconds_of(mark: str) -> int:
    """Return the seconds of a time as `time_mark` writes it."""
    return sum(int(part) * 60**power for power, part in enumerate(reversed(mark.split(":"))))


def without_mark(text: str) -> str:
    """Return a paragraph without the time that it begins with."""
    return _BEGINS.sub("", text, count=1)


def first_mark(marks: TimeMarks | None) -> str | None:
    """Return when the first thing of a passage is said, as `time_mark` writes it; None where there are no marks."""
    return time_mark(marks[0][1]) if marks else None


def second_at(marks: Sequence[Sequence[int]], offset: int) -> int | None:
    """Return the seconds at which what stands at an offset is said; None before the first thing said."""
    before = [seconds for start, seconds in marks if start <= offset]
    return before[-1] if before else None
