"""Which passage comes where, beside what the ranker says: documents by turns, soft preferences."""

import functools
import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from haystack import Document

from khub.components.answer import Preference
from khub.components.catalog.parts import shown_name
from khub.components.text.naming import file_words, years_of
from khub.components.text.tokenizer import tokenize

DATES = ("modified", "modified_at", "created", "date", "ingested_at")
"""Metadata that tells how old a document is: what it says of itself, then what its file says."""
DATE = re.compile(r"\s*(\d{4})(?:\D(\d{1,2})(?:\D(\d{1,2}))?)?")


def spread(documents: list[Document], most: int) -> list[Document]:
    """Let no document have more than `most` of the first places: its further passages go behind all others.

    :param documents: passages, best first.
    :param most: 1 or more.
    :returns: the same passages; those of each part in their order.
    """
    seen: Counter[str] = Counter()
    first: list[Document] = []
    behind: list[Document] = []
    for document in documents:
        place = str(document.meta.get("doc_id") or document.id)
        seen[place] += 1
        (first if seen[place] <= most else behind).append(document)
    return first + behind


def falling_shares(documents: list[Document]) -> list[float]:
    """Return each score on a scale from 0 to 1; none above that of the passage before it, whatever made the order.

    :param documents: passages, best first.
    """
    scores = [float(d.score) if d.score is not None and math.isfinite(d.score) else 0.0 for d in documents]
    lowest, span = min(scores, default=0.0), max(scores, default=0.0) - min(scores, default=0.0)
    return list(accumulate(((score - lowest) / span if span > 0 else 1.0 for score in scores), min))


def preferred(
    documents: list[Document],
    scores: list[float],
    preferences: list[Preference],
    terms: Sequence[str],
    weight: float,
) -> list[float]:
    """Raise passages that the question prefers.

    Beside a year, words of a title or a file's name are preferred, too, and the year only with them: "Costco 2023" asks
    for Costco, whatever other reports of 2023 there are.

    :param documents: passages.
    :param scores: of each, from `falling_shares`.
    :param preferences: where the newest is preferred, the newest document of the passages has all of the weight, the
        oldest, and one without a date, none; `current` says nothing here, and any other kind matches or not.
    :param terms: tokens of the question.
    :param weight: what a passage gains by one preference, as a share of the distance from best to worst score.
    """
    gains = [_matches(documents, preference) for preference in preferences]
    years = [place for place, preference in enumerate(preferences) if preference.kind == "year"]
    named = _named_shares(documents, terms) if years else []
    for place in years:
        gains[place] = [one * share for one, share in zip(gains[place], named, strict=True)]
    gains += [named] if years else []
    return [score + weight * sum(gain[place] for gain in gains) for place, score in enumerate(scores)]


def _named_shares(documents: list[Document], terms: Sequence[str]) -> list[float]:
    """Return how many of the words each passage's document has in its name, as a share of the most; 1 if none has."""
    words = {term for term in terms if not term.isdigit()}
    counts = [len(words & _name_tokens(str(d.meta.get("source") or ""), d.meta.get("title") or "")) for d in documents]
    most = max(counts, default=0)
    return [count / most if most else 1.0 for count in counts]


@functools.lru_cache(maxsize=4096)
def _name_tokens(source: str, title: str) -> frozenset[str]:
    return frozenset(tokenize(f"{file_words(source)}\n{title}"))


def by_score(documents: list[Document], scores: list[float]) -> list[Document]:
    """Order passages by scores, highest first; those of the same score stay in their order."""
    return [documents[place] for place in sorted(range(len(documents)), key=lambda place: (-scores[place], place))]


def _matches(documents: list[Document], preference: Preference) -> list[float]:
    if preference.kind == "newest":
        return _newness(documents)
    return [float(_is_meant(document.meta, preference)) for document in documents]


def _is_meant(meta: dict[str, Any], preference: Preference) -> bool:
    value, kind = (preference.value or "").casefold(), preference.kind
    source = str(meta.get("source") or "")
    if kind == "year":
        return value in years_of(source, meta.get("title"))
    title = str(meta.get("title") or shown_name(source))
    held = {"source": source, "title": title, "doc_type": str(meta.get("doc_type") or "")}.get(kind, "")
    return bool(value) and (held.casefold() == value if kind == "doc_type" else value in held.casefold())


def _newness(documents: list[Document]) -> list[float]:
    """Return 1 for the newest date among the passages, 0 for the oldest, and for others by their place between."""
    dates = [_date(document.meta) for document in documents]
    known = sorted({date for date in dates if date})
    return [known.index(date) / (len(known) - 1) if date and len(known) > 1 else 0.0 for date in dates]


def _date(meta: dict[str, Any]) -> tuple[int, int, int] | None:
    for key in DATES:
        if match := DATE.match(str(meta.get(key) or "")):
            year, month, day = (int(part or 1) for part in match.groups())
            return year, month, day
    return None
