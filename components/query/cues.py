"""What a question says of where to look, as it was found in it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from components.query.short_filters import ShortFilter


@dataclass(frozen=True)
class Cue:
    """Words that stand for a filter.

    :param start: where they begin in the question.
    :param end: where they end.
    :param filter: what they stand for.
    :param group: cues of one group are alternatives ("in the PDF or in the slides").
    """

    start: int
    end: int
    filter: ShortFilter
    group: str


_COMPARES = re.compile(
    r"\b(?:compar(?:e|es|ed|ison)|contrast|differ(?:s|ed|ent|ence|ences)?|versus|vs|same as|consistent with"
    r"|contradicts?|changed (?:since|from))\b|相比|比较|对比|区别|差别|差异|不同|一致|异同"
    "|比(?=去年|前年|上|今年|《|以前|之前)",
    re.IGNORECASE,
)


def of_all_sides(question: str, cues: Iterable[Cue]) -> list[Cue]:
    """Return the cues that may be used where the question compares: those that name two places or none.

    A filter that one of the compared sides has for its own would take the other away.
    """
    cues = list(cues)
    if not _COMPARES.search(question):
        return cues
    texts = {group: {cue.filter.text for cue in cues if cue.group == group} for group in {cue.group for cue in cues}}
    return [cue for cue in cues if len(texts[cue.group]) > 1]


def masked(text: str, quotes: str = '""“”‘’「」『』《》') -> str:
    """Return the text with everything between quotation marks blotted out, in its length: it is quoted, not said.

    :param quotes: opening and closing marks in pairs.
    """
    closing = dict(zip(quotes[::2], quotes[1::2], strict=True))
    shown, wanted, start = list(text), "", 0
    for place, character in enumerate(text):
        if wanted and character == wanted:
            shown[start + 1 : place] = "\0" * (place - start - 1)
            wanted = ""
        elif not wanted and character in closing:
            wanted, start = closing[character], place
    return "".join(shown)
