"""A question that follows others, made to stand by itself."""

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from khub.components.catalog.access import access_levels
from khub.components.catalog.catalog import open_catalog
from khub.components.errors import KhubError
from khub.components.stores.bound_keywords import bound_keywords
from khub.components.text.stopwords import ENGLISH, without_stopwords
from khub.server.graphs.load import Graph

OWN_SHARE = 0.6
"""A question stands by itself if its words weigh more than this share of those of the one before."""
LOOKED_BACK = 4
"""Questions of a conversation, the last ones, that may lean on each other."""
ALIKE = 0.5
"""Words of which this share is the same name two of a kind: 婚假 and 丧假, 2018 and 2019."""


def put_to(graph: Graph, questions: Sequence[str], collection: str | None = None) -> tuple[str, dict[str, Any]]:
    """Return the question that a graph is asked, and what else it gets: its `history` where it declares one.

    :param questions: of one conversation, the one that is asked now last.
    :param collection: as for `self_contained`, which stands in where the graph has no model for it.
    """
    if "history" in graph.inputs:
        return questions[-1], {"history": list(questions[:-1])}
    return self_contained(questions, collection), {}


def self_contained(questions: Sequence[str], collection: str | None = None) -> str:
    """Return the last question with what it takes over from the one before; as it is where it stands by itself.

    :param questions: of one conversation, the one that is asked now last.
    :param collection: that is asked; None for all that the caller may read.
    """
    asked = questions[-1]
    if len(questions) < 2:
        return asked
    before = self_contained(questions[-LOOKED_BACK:-1], collection)
    own, old = _telling(asked), _telling(before)
    rarity = _rarity([*own, *old], collection)
    if rarity is not None and stands_alone(own, old, rarity):
        return asked
    return f"{_instead(before, old, own)} {asked}"


def _instead(before: str, old: Sequence[str], own: Sequence[str]) -> str:
    """Return the question before with the new words in the place of those of which each is another of its kind."""
    for word in own:
        likeness = {one: _likeness(one, word) for one in old if one not in own}
        nearest = max(likeness, key=lambda one: likeness[one], default="")
        if nearest and likeness[nearest] >= ALIKE:
            edges = ("(?<![a-z0-9])", "(?![a-z0-9])") if nearest.isascii() else ("", "")
            whole = re.compile(f"{edges[0]}{re.escape(nearest)}{edges[1]}", re.IGNORECASE)
            before = word.join(whole.split(before))
    return before


def _likeness(one: str, other: str) -> float:
    """Return the share of two words that is the same: of Chinese ones at the end, where a word says its kind.

    Of others only those with a digit name things of a kind (2018 and 2019, P6 and P7): report and resort do not.
    """
    chinese = not one.isascii() and not other.isascii()
    if not chinese and not (_has_digit(one) and _has_digit(other)):
        return 0.0
    pairs = zip(reversed(one), reversed(other), strict=False) if chinese else zip(one, other, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)) / max(len(one), len(other))


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))


def stands_alone(own: Sequence[str], old: Sequence[str], rarity: Mapping[str, float]) -> bool:
    """Say whether a question's words weigh so much that it needs none of the one before."""
    return _weight(own, rarity) > OWN_SHARE * _weight(old, rarity)


def _telling(text: str) -> list[str]:
    """Return the words of a question that say what it is about: none of "and where?", of "那价格呢" 价格."""
    return [term for term in without_stopwords(text) if term not in ENGLISH and (len(term) > 1 or term.isascii())]


def _weight(terms: Sequence[str], rarity: Mapping[str, float]) -> float:
    return sum(rarity.get(term, 0.0) for term in dict.fromkeys(terms))


def _rarity(terms: Sequence[str], collection: str | None) -> dict[str, float] | None:
    """Return what is known of the words; None where they may tell of passages that are kept from the caller."""
    if access_levels() is not None:
        return None
    catalog = open_catalog()
    try:
        names = catalog.opened_collections.names() if collection is None else [collection]
        found = [bound_keywords(catalog, name).rarity(terms) for name in names]
    except KhubError:
        return None  # whoever searches it tells why
    return {term: sum(one[term] for one in found) / len(found) for term in dict.fromkeys(terms)} if found else None
