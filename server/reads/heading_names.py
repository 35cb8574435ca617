"""Whether somebody means a heading who does not name it letter by letter."""

import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher

MOST_NEAR = 5
LIKENESS = 0.5
_STEP = re.compile("[>›]")
_NUMBER = re.compile(
    r"(?:(?:section|chapter|part)\s+|[§第]\s*)?(?P<number>\d+(?:\.\d+)*|[一二三四五六七八九十]+)"
    r"(?:\s*(?:[章节條条篇]|[、.:)](?!\d))\s*|\s+|$|(?<=\d)(?=[\u4e00-\u9fff]))"
)


def is_called(headings: Sequence[str], name: str) -> bool:
    """Say whether a name fits the last headings of a path, but for case, white space and numbering.

    :param headings: of the path, from the top down.
    :param name: of the lowest of them, or of several with `>` between.
    """
    steps = _steps(name)
    return len(steps) <= len(headings) and all(
        _fits(heading, step) for heading, step in zip(headings[-len(steps) :], steps, strict=True)
    )


def nearest_headings(headings: Sequence[str], name: str) -> list[str]:
    """Return the headings most like a name, best first; none where none is like it."""
    wanted = _parts(_steps(name)[-1])[1]
    likeness = {heading: _likeness(_parts(heading)[1], wanted) for heading in headings}
    near = sorted((one for one in likeness if likeness[one] >= LIKENESS), key=lambda one: -likeness[one])
    return near[:MOST_NEAR]


def _steps(name: str) -> list[str]:
    return [step.strip() for step in _STEP.split(name)]


def _fits(heading: str, name: str) -> bool:
    (number, words), (wanted_number, wanted) = _parts(heading), _parts(name)
    if not wanted:
        return bool(wanted_number) and wanted_number == number
    return words == wanted and (not number or not wanted_number or number == wanted_number)


def _parts(text: str) -> tuple[str, str]:
    """Return the number of a heading and its words, as they are compared."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split()).rstrip(".:。")
    found = _NUMBER.match(plain)
    return (found["number"], plain[found.end() :]) if found else ("", plain)


def _likeness(words: str, wanted: str) -> float:
    """Return 1 where one holds the other, else how much of both is the same."""
    if wanted and (wanted in words or (words and words in wanted)):
        return 1.0
    return SequenceMatcher(None, words, wanted).ratio()
