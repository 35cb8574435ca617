"""Drop caps: a large first letter, or short word, that reaches down into the lines of its paragraph."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace

from khub.components.converters.pdf.hyphens import Hyphens
from khub.components.converters.pdf.layout import Segment
from khub.components.converters.pdf.scripts import is_cjk

_LARGER = 1.7
_NEAR = 1.0
_BETWEEN = 0.4
_FEWEST_LINES = 2
_HEIGHT = 0.8
_LONGEST_WORD = 5
_WORDS_OF_ONE_LETTER = frozenset("AI")


def join_drop_caps(segments: Sequence[Segment], hyphens: Hyphens) -> list[Segment]:
    """Put each drop cap into the word that it begins.

    The lines beside it begin where it does from then on: for a reader they are not indented.

    :param segments: the upright ones of a page.
    :param hyphens: knows the words of the document: "A" and "t" are one of them, "A" and "plant" are two.
    """
    initials = [segment for segment in segments if _may_be_initial(segment)]
    if not initials:
        return list(segments)
    ordered = sorted(segments, key=lambda each: each.baseline)
    baselines = [segment.baseline for segment in ordered]
    changed: dict[int, Segment] = {}
    gone: set[int] = set()
    for cap in initials:
        near = ordered[bisect_left(baselines, cap.top) : bisect_right(baselines, cap.baseline + _BETWEEN * cap.size)]
        beside = [segment for segment in near if segment is not cap and _is_beside(segment, cap)]
        if len({round(segment.baseline) for segment in beside}) < _FEWEST_LINES or not _goes_on(beside[0]):
            continue
        gone.add(id(cap))
        for place, segment in enumerate(beside):
            changed[id(segment)] = _begun(segment, cap, hyphens) if place == 0 else _moved(segment, cap.x0)
    return [changed.get(id(segment), segment) for segment in segments if id(segment) not in gone]


def _may_be_initial(segment: Segment) -> bool:
    letters = [letter for letter in segment.text if letter.isalpha()]
    quoted = len(segment.text) - len(letters)
    alone = len(segment.words) == 1 and quoted <= 1 and 0 < len(letters) <= _LONGEST_WORD
    return alone and (letters[0].isupper() or is_cjk(letters[0]))


def _goes_on(segment: Segment) -> bool:
    """Whether a line may go on a word or sentence: in small letters, or in capitals as a whole word."""
    word = segment.words[0].text
    return word[0].islower() or is_cjk(word[0]) or (word.isupper() and len(word) > 1)


def _is_beside(segment: Segment, cap: Segment) -> bool:
    """Whether a line of smaller text begins right of a letter, not lower than the letter stands."""
    gap = segment.x0 - cap.x1
    smaller = cap.size >= _LARGER * segment.size
    reaches = cap.baseline - _HEIGHT * cap.size < segment.baseline < cap.baseline + _BETWEEN * segment.size
    return smaller and reaches and -_BETWEEN * segment.size <= gap <= _NEAR * segment.size + 0.1 * cap.size


def _begun(segment: Segment, cap: Segment, hyphens: Hyphens) -> Segment:
    first, *rest = segment.words
    letter, word = cap.text, first.text
    known = hyphens.vocabulary
    # The word behind the letter is counted here itself.
    two = known[word.casefold()] > 1 and not known[(letter + word).casefold()]
    if (letter in _WORDS_OF_ONE_LETTER and two) or sum(map(str.isalpha, letter)) > 1:
        words = [cap.words[0]._replace(x1=first.x0), first._replace(spaced=True), *rest]
    else:
        words = [first._replace(text=letter + word, x0=cap.x0), *rest]
    return replace(segment, words=words, x0=cap.x0)


def _moved(segment: Segment, x0: float) -> Segment:
    first, *rest = segment.words
    return replace(segment, words=[first._replace(x0=x0), *rest], x0=x0)
