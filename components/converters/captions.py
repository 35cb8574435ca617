"""Captions of films and talks (SubRip, WebVTT) as what is said: paragraphs with time and speaker."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

EXTENSIONS = (".srt", ".vtt")
_TIME = r"(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}"
_CUE = re.compile(rf"(?<![ \t\d:])[ \t]*+({_TIME})[ \t]*+-->[ \t]*+({_TIME})")
_SPEAKER = re.compile(r"<v(?:\.[^\s<>]*+)?\s++([^<>]++)>")
_TAG = re.compile(
    r"</?(?:(?:[biucv]|font|lang|ruby|rt)(?:[.\s][^<>]*+)?|\d[\d:.]*+(?:\s[^<>]*+)?)>|\{\\an?\d++\}", re.IGNORECASE
)
_UNSEEN = ("WEBVTT", "STYLE", "REGION")
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’」』）)\]]*$")
_WITHOUT_BLANKS = "\u2e80"
"""From here on are scripts that write no blanks between words."""
_LONG, _LONGEST = 300, 600
_PAUSE_S, _AT_ONCE_S = 5.0, 0.05


@dataclass(frozen=True)
class _Cue:
    start: float
    end: float
    shown_start: str
    speaker: str
    lines: tuple[str, ...]


def caption_text(text: str) -> str:
    """Return what captions say; the text as it is where there are none in it.

    Their numbers and layout go, and a line that only stays on the screen; remarks of the file stay.
    """
    paragraphs: list[str] = []
    last: _Cue | None = None
    for block in re.split(r"\n[ \t]*\n", text):
        cue = _cue(block.strip("\n"))
        if cue is None:
            remark = block.strip()
            if remark and not remark.startswith(_UNSEEN):
                paragraphs.append(remark)
                last = None
            continue
        if said := _joined(_new_lines(cue, last)):
            if last is None or _begins_anew(cue, last, said, paragraphs[-1]):
                paragraphs.append(f"[{cue.shown_start}] {f'{cue.speaker}: ' if cue.speaker else ''}{said}")
            else:
                paragraphs[-1] = _joined((paragraphs[-1], said))
        last = cue if cue.lines else last
    return "\n\n".join(paragraphs) + "\n" if _CUE.search(text) else text


def _cue(block: str) -> _Cue | None:
    lines = block.split("\n")
    for number, line in enumerate(lines[:2]):  # above the times there may be a number or a name
        if found := _CUE.match(line):
            spoken = lines[number + 1 :]
            speaker = _SPEAKER.search("\n".join(spoken))
            words = (" ".join(html.unescape(_TAG.sub("", one)).split()) for one in spoken)
            shown = re.split("[.,]", found[1])[0]
            name = speaker[1].strip() if speaker else ""
            return _Cue(_seconds(found[1]), _seconds(found[2]), shown, name, tuple(filter(None, words)))
    return None


def _new_lines(cue: _Cue, last: _Cue | None) -> tuple[str, ...]:
    """Return the lines without the first where it is the last of the caption before, which has only moved up."""
    stays = last and cue.lines and cue.start - last.end < _AT_ONCE_S and cue.lines[0] == last.lines[-1]
    return cue.lines[1:] if stays else cue.lines


def _joined(parts: Sequence[str]) -> str:
    text = ""
    for part in parts:
        blank = " " if text and min(text[-1], part[0]) < _WITHOUT_BLANKS else ""
        text += blank + part
    return text


def _begins_anew(cue: _Cue, last: _Cue, said: str, paragraph: str) -> bool:
    if cue.speaker != last.speaker or cue.start - last.end >= _PAUSE_S or said.startswith(("- ", "– ", "— ")):
        return True
    return len(paragraph) > (_LONG if _SENTENCE_END.search(paragraph) else _LONGEST)


def _seconds(time: str) -> float:
    parts = reversed(time.replace(",", ".").split(":"))
    return sum(float(part) * float(60**power) for power, part in enumerate(parts))
