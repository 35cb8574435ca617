"""Questions that a collection answers, and those of other collections, which it does not."""

import random
from collections.abc import Sequence
from typing import NamedTuple

from khub.eval.retrieve.passages import RetrievalSet

SEED = 7
HALVES = ("fit", "test")


class Asked(NamedTuple):
    """A question for a collection.

    :param text: the question.
    :param of: the set that it is of.
    :param answered: whether the collection answers it.
    :param half: `fit` or `test`.
    """

    text: str
    of: str
    answered: bool
    half: str


def questions_for(data: RetrievalSet, sets: Sequence[RetrievalSet], most: int) -> dict[str, Asked]:
    """Return the questions for a set's collection, in two halves.

    A question is in the same half for all collections, so that none of the second half has been seen by a fit.

    :param data: the set whose passages the collection holds.
    :param sets: all sets. One that shares most ids of passages with `data` is a translation of it, or asks for the
        same: its questions are left out.
    :param most: as many of the set's own questions at most, and as many of all others together.
    """
    own = _sample(data, most)
    strange = [other for other in sets if not _same_passages(data, other)]
    chosen = {f"{data.name}/{key}": Asked(text, data.name, True, half) for key, text, half in own}
    for other in strange:
        rows = _sample(other, max(2, most // len(strange)))
        chosen |= {f"{other.name}/{key}": Asked(text, other.name, False, half) for key, text, half in rows}
    return chosen


def _sample(data: RetrievalSet, most: int) -> list[tuple[str, str, str]]:
    """Return as many questions, with their halves; the first ones of a larger sample are a smaller one."""
    keys = sorted(data.queries)
    random.Random(SEED).shuffle(keys)
    return [(key, data.queries[key], HALVES[place % 2]) for place, key in enumerate(keys[:most])]


def _same_passages(one: RetrievalSet, other: RetrievalSet) -> bool:
    ids, others = ({passage.id for passage in data.passages} for data in (one, other))
    return 2 * len(ids & others) > min(len(ids), len(others))
