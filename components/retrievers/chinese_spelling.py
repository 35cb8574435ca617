"""How Chinese documents write a name that a question has in Latin letters: by its sound, or as it is translated."""

import itertools
from collections.abc import Iterator, Sequence

from khub.components.query.word_glosses import SHIPPED, read_word_glosses
from khub.components.stores.keyword_index import KeywordIndex
from khub.components.text.pinyin import characters, surnames, syllables

LONGEST_NAME = 4
"""Words of a name that are looked at together, and characters of one that is read."""
CUTS = 2
"""So many ways to read a word are tried, those with fewest syllables first."""
SETTLED = 10
"""So often running text has a translated name whose spelling is settled: rarer ones have several."""


def spelled_in_chinese(index: KeywordIndex, run: Sequence[str], place: int, between: Sequence[str]) -> str | None:
    """Return how Chinese documents write a name: a regular expression for the characters that they hold.

    :param run: words with capitals that stand one behind the other ("Zhang", "Wei").
    :param place: of the word in question among them.
    :param between: what stands behind each of them.
    :returns: "" where they do not hold what it would be in Chinese; None where that is not known.
    """
    parts = [
        (first, last)
        for first in range(max(0, place + 1 - LONGEST_NAME), place + 1)
        for last in range(place + 1, min(len(run), first + LONGEST_NAME) + 1)
    ]
    # 张 is no Zhang Wei: a single character is a name only where no other word stands beside it
    least = 1 if len(run) == 1 else 2
    told = [_by_sound(index, run[first:last], least) for first, last in parts]
    told += [_translated(index, _joined(run[first:last], between[first:last]), least) for first, last in parts]
    known = [one for one in told if one is not None]
    return "|".join(filter(None, known)) if known else None


def _joined(words: Sequence[str], between: Sequence[str]) -> str:
    return "".join(itertools.chain(*zip(words, between, strict=True))).strip()


def _by_sound(index: KeywordIndex, words: Sequence[str], least: int) -> str | None:
    """Look for characters that read so, with the family name first or last.

    :param least: so many characters a name has.
    """
    of_a_person, held = False, []
    for order in dict.fromkeys([tuple(words), (words[-1], *words[:-1])]):
        for read in _readings(order):
            family = surnames(read[0]) if len(order) > 1 and read[:1] in syllables(order[0]) else ""
            of_a_person |= bool(family) and len(read) in {2, 3}
            choices = [family or characters(read[0]), *map(characters, read[1:])]
            if len(read) >= least and index.holds(choices):
                held.append("".join(f"[{choice}]" for choice in choices))
    return "|".join(held) if held or of_a_person else None


def _readings(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    ways = [sorted(syllables(word), key=len)[:CUTS] for word in words]
    for cuts in itertools.product(*ways):
        read = tuple(itertools.chain(*cuts))
        if len(read) <= LONGEST_NAME:
            yield read


def _translated(index: KeywordIndex, name: str, least: int) -> str | None:
    """Look for what the table of words calls a name in Chinese."""
    called = [(word, count) for word, count in read_word_glosses(SHIPPED).called(name) if len(word) >= least]
    held = [word for word, _ in called if index.holds(list(word))]
    settled = not name.isupper() and max((count for _, count in called), default=0) >= SETTLED
    return "|".join(held) if held or settled else None
