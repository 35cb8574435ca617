"""What is said in a recording, as paragraphs that begin with the time."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from khub.components.text.time_marks import TimeMarks, time_mark

_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’」』）)\]]*$")
WITHOUT_BLANKS = "\u2e80"
"""From here on are scripts that write no blanks between words."""
_LONG, _LONGEST = 300, 600
_PAUSE_S, _NEAR_S = 5.0, 1.0
_GAP = "\n\n"
_NEW_SPEAKER = ("- ", "– ", "— ")


@dataclass(frozen=True, slots=True)
class Said:
    """Something said at once.

    :param start: second at which it begins; None for a remark that nobody says.
    :param end: second at which it ends.
    :param text: on one line.
    :param speaker: who says it; "" where that is not known.
    """

    start: float | None
    end: float
    text: str
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter of a recording: the second at which it begins, and its title."""

    start: float
    title: str


def spoken_text(said: Sequence[Said], chapters: Sequence[Chapter] = ()) -> dict[str, Any]:
    """Return the fields of a document: `text`, and `time_marks` of all that is said.

    A paragraph begins with its time, such as `[12:40]`; a pause, another speaker or a new chapter begins another, and
    so does a sentence behind a long one. A chapter's title is a heading.

    :param said: in the order of time.
    :param chapters: likewise.
    """
    parts: list[str] = []
    marks: TimeMarks = []
    waiting, last, begin = list(chapters), None, 0
    for one in said:
        heads: list[str] = []
        while waiting and one.start is not None and waiting[0].start <= one.start + _NEAR_S:
            heads.append(f"## {waiting.pop(0).title}")
        if not parts or one.start is None or last is None or heads or _begins_anew(one, last, parts[-1]):
            for part in (*heads, _opening(one) + one.text):
                begin += len(parts[-1]) + len(_GAP) if parts else 0
                parts.append(part)
            at = 0
        else:
            parts[-1] = joined((parts[-1], one.text))
            at = len(parts[-1]) - len(one.text)
        if one.start is not None:
            marks.append([begin + at, int(one.start)])
        last = one if one.start is not None else None
    return {"text": f"{_GAP.join(parts)}\n", "time_marks": marks}


def joined(parts: Sequence[str]) -> str:
    """Return words that follow each other as one text, with blanks where the script has them."""
    text = ""
    for part in parts:
        text += (" " if text and min(text[-1], part[0]) < WITHOUT_BLANKS else "") + part
    return text


def _opening(said: Said) -> str:
    time = f"[{time_mark(said.start)}] " if said.start is not None else ""
    return time + (f"{said.speaker}: " if said.speaker else "")


def _begins_anew(said: Said, last: Said, paragraph: str) -> bool:
    if said.speaker != last.speaker or (said.start or 0) - last.end >= _PAUSE_S or said.text.startswith(_NEW_SPEAKER):
        return True
    return len(paragraph) > (_LONG if _SENTENCE_END.search(paragraph) else _LONGEST)
