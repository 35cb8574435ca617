"""Captions of films and talks (SubRip, WebVTT) as what is said: paragraphs with time and speaker."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from khub.components.converters.spoken_text import Chapter, Said, joined, spoken_text

EXTENSIONS = (".srt", ".vtt")
_TIME = r"(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}"
_CUE = re.compile(rf"(?<![ \t\d:])[ \t]*+({_TIME})[ \t]*+-->[ \t]*+({_TIME})")
_BETWEEN = re.compile(r"\n\n|\n[ \t]++\n(?=(?:[^\n]*+\n)?[^\n]*?-->)")
"""An empty line; one of blanks may be a line of a caption, but for that before the next one."""
_SPEAKER = re.compile(r"<v(?:\.[^\s<>]*+)?\s++([^<>]++)>")
_TAG = re.compile(
    r"</?(?:(?:[biucv]|font|lang|ruby|rt)(?:[.\s][^<>]*+)?|\d[\d:.]*+(?:\s[^<>]*+)?)>|\{\\an?\d++\}", re.IGNORECASE
)
_UNSEEN = ("WEBVTT", "STYLE", "REGION")
_AT_ONCE_S = 0.05


@dataclass(frozen=True)
class _Cue:
    start: float
    end: float
    speaker: str
    lines: tuple[str, ...]


def captions(text: str, chapters: Sequence[Chapter] = ()) -> dict[str, Any]:
    """Return the fields of a document: `text`, what captions say, and `time_marks`; a text without captions as it is.

    Their numbers and layout go, and a line that only stays on the screen; remarks of the file stay.

    :param chapters: of the recording, in the order of time.
    """
    said: list[Said] = []
    last: _Cue | None = None
    for block in _BETWEEN.split(text):
        cue = _cue(block.strip("\n"))
        if cue is None:
            remark = " ".join(block.split())
            if remark and not remark.startswith(_UNSEEN):
                said.append(Said(None, 0.0, remark))
                last = None
            continue
        if words := joined(_new_lines(cue, last)):
            said.append(Said(cue.start, cue.end, words, cue.speaker))
        elif last is not None and said and cue.lines:
            said[-1] = Said(said[-1].start, cue.end, said[-1].text, said[-1].speaker)  # it only stays
        last = cue if cue.lines else last
    return spoken_text(said, chapters) if any(one.start is not None for one in said) else {"text": text}


def _cue(block: str) -> _Cue | None:
    lines = block.split("\n")
    for number, line in enumerate(lines[:2]):  # above the times there may be a number or a name
        if found := _CUE.match(line):
            spoken = lines[number + 1 :]
            speaker = _SPEAKER.search("\n".join(spoken))
            words = (" ".join(html.unescape(_TAG.sub("", one)).split()) for one in spoken)
            name = speaker[1].strip() if speaker else ""
            return _Cue(_seconds(found[1]), _seconds(found[2]), name, tuple(filter(None, words)))
    return None


def _new_lines(cue: _Cue, last: _Cue | None) -> tuple[str, ...]:
    """Return the lines without the first ones where they are the last of the caption before: they have moved up."""
    if last is None or cue.start - last.end >= _AT_ONCE_S:
        return cue.lines
    for count in range(min(len(cue.lines), len(last.lines)), 0, -1):
        if cue.lines[:count] == last.lines[-count:]:
            return cue.lines[count:]
    if cue.lines and last.lines and cue.lines[0].startswith(f"{last.lines[-1]} "):  # it grows word by word
        return (cue.lines[0][len(last.lines[-1]) + 1 :], *cue.lines[1:])
    return cue.lines


def _seconds(time: str) -> float:
    parts = reversed(time.replace(",", ".").split(":"))
    return sum(float(part) * float(60**power) for power, part in enumerate(parts))
