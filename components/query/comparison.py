"""The sides of a question that compares: sub-queries that each keep the words that the question says once for all."""

import functools
import itertools
import re

from khub.components.query.intents import read_intents
from khub.components.query.word_glosses import SHIPPED, read_word_glosses
from khub.components.text.tokenizer import HAN

LONGEST = 200
"""In characters: a longer text is no plain comparison."""
MOST_SIDES = 3
MOST_JOINTS = 8
"""Of words that may join sides; a question with more is no plain comparison."""
SIDE_CHARACTERS = 120

_CLOSING = " \t\n?？!！.。,，;；:：、"
_ARTICLE = re.compile(r"^(?:the|an?|both|between) ", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:[.,\-/]\d+)*")
_HAN = re.compile(f"[{HAN}]")


def sides_of(question: str) -> list[str]:
    """Return what a question compares.

    :param question: one line.
    :returns: two or three different sub-queries in the order asked ("compare the deductible of plan A and plan B" ->
        "deductible of plan A", "deductible of plan B"); none where the question is no plain comparison, or has more
        sides than three.
    """
    text = question.strip(_CLOSING)
    if len(text) > LONGEST:
        return []
    text = text[_expression("polite").match(text).end() :]  # type: ignore[union-attr]
    matches = (pattern.fullmatch(text) for pattern in _expressions("patterns"))
    sides = next(filter(None, (_sides(**match.groupdict()) for match in matches if match)), [])
    fit = all(len(side) <= SIDE_CHARACTERS and any(map(str.isalnum, side)) for side in sides)
    return sides if 2 <= len(sides) <= MOST_SIDES and len({s.casefold() for s in sides}) == len(sides) and fit else []


def _sides(items: str, about: str | None = None) -> list[str]:
    parts = _split(items)
    if len(parts) < 2 or any(not part or _expression("question").match(part) for part in parts):
        return []
    added = "" if about is None or _expression("nothing").fullmatch(about) else f" {about}"
    return [f"{side}{added}".strip(_CLOSING) for side in _completed([_ARTICLE.sub("", part) for part in parts])]


def _split(items: str) -> list[str]:
    for joint in _expressions("joints"):
        found = list(joint.finditer(items))
        spans = [match.span() for match in found if _stands_alone(match)] if len(found) <= MOST_JOINTS else []
        if spans:
            edges = [0, *itertools.chain(*spans), len(items)]
            return [items[start:end].strip() for start, end in zip(edges[::2], edges[1::2], strict=True)]
    return []


def _stands_alone(joint: re.Match[str]) -> bool:
    """Say whether a text has the same words with a cut before and behind a Chinese joint as without."""
    if joint.start() == 0 or not _HAN.search(joint[0]):
        return joint.start() > 0
    text, (start, end) = joint.string, joint.span()
    whole, *parts = map(_words, (text, text[:start], joint[0], text[end:]))
    return whole == list(itertools.chain(*parts))


def _words(text: str) -> list[str]:
    return [word.text.strip() for word in read_word_glosses(SHIPPED).words(text)]


def _completed(sides: list[str]) -> list[str]:
    """Give each side the words that the question says once: before the first one, or behind the last."""
    first, *others, last = sides
    head = _head(first, sides[1])
    tail = _tail([first[len(head) :], *others], last)
    between = (side if side.startswith(head) else head + side for side in others)
    return [first + tail, *(side + tail for side in between), last if last.startswith(head) else head + last]


def _head(first: str, second: str) -> str:
    """Return what stands before the place in the first side at which the second one takes up."""
    if again := _taken_up(second).search(first):
        return first[: again.start()]
    said = _expression("before").match(first)
    return said[0] if said and f" {said[0].split()[-1]} " not in f" {second} " else ""


def _taken_up(side: str) -> re.Pattern[str]:
    """Return what finds the word with which a side begins; any number for a number."""
    if _NUMBER.match(side):
        return _NUMBER
    han = _HAN.match(side)
    word = re.escape(side[:2] if han else side.split(maxsplit=1)[0])
    return re.compile(word if han else rf"(?<!\w){word}(?!\w)", re.IGNORECASE)


def _tail(others: list[str], last: str) -> str:
    """Return what the last side says for all; nothing where another one has its own (A in Germany and B in France)."""
    number, own = _NUMBER.match(last), _NUMBER.match(others[0])
    if number and own:
        rest, unit = last[number.end() :], others[0][own.end() :]
        return rest[len(unit) :] if rest.startswith(unit) else ""
    behind = _expression("behind")
    said = None if any(map(behind.search, others)) else behind.search(last)
    return said[0] if said else ""


def _expression(name: str) -> re.Pattern[str]:
    return _expressions(name)[0]


@functools.cache
def _expressions(name: str) -> list[re.Pattern[str]]:
    """Return what `intents.yaml` has under a name of `compare`."""
    said = read_intents()["compare"][name]
    written = [said] if isinstance(said, str) else said
    filled = (one.replace("{items}", "(?P<items>.+?)").replace("{about}", "(?P<about>.+?)") for one in written)
    return [re.compile(one, re.IGNORECASE) for one in filled]
