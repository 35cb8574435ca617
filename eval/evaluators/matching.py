"""Decide whether a citation shows a place that is known to answer the question."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, cast

from khub.components.errors import EvaluationError
from khub.eval.place_row import PlaceRow
from khub.eval.run.kept_answer import KeptCitation

OTHER_MARKS = re.compile(r"[\W_]+")
NGRAM = 5
LEAST_SHARE = 0.6
OWN_GRADE = 2
CACHED_TEXTS = 4096


def places_of(case: dict[str, Any]) -> list[PlaceRow]:
    """Return the places that answer a case: its `relevant`, or else the one place that the case itself names.

    :param case: a line of a golden set; see `khub.eval.cases`.
    :returns: `{"source", "page", "evidence", "grade"}` each; none where the case names no source.
    """
    if case.get("relevant") is not None:
        return list(case["relevant"])
    if not case.get("source"):
        return []
    place = {"source": case["source"], "page": case.get("page"), "evidence": case.get("evidence"), "grade": OWN_GRADE}
    return [cast(PlaceRow, place)]


def matches(citation: KeptCitation, place: PlaceRow) -> bool:
    """Say whether a citation shows a place.

    The sources must be the same. The evidence must stand in the cited text, or at least 60 % of its distinct
    character 5-grams must: conversions differ in spaces, table bars and broken lines, and a chunk may end within the
    evidence. Both are compared by their letters and digits alone (see `normalised`). Where a place has no evidence, or
    none with a letter or digit in it, the pages must be the same.

    :param citation: of an answer, with `relative_source`, `page` and `text`.
    :param place: `source` as in `relative_source`, `page` from 1 or None, `evidence`.
    :raises EvaluationError: when the citation has no `relative_source`.
    """
    if _source(citation) != _composed(place["source"]):
        return False
    evidence = normalised(place.get("evidence") or "")
    if not evidence:
        return citation.get("page") == place.get("page")
    text = normalised(citation.get("text") or "")
    if evidence in text:
        return True
    wanted = _ngrams(evidence)
    return bool(wanted) and sum(ngram in text for ngram in wanted) >= LEAST_SHARE * len(wanted)


def found_places(citations: Sequence[KeptCitation], places: Sequence[PlaceRow]) -> list[list[int]]:
    """Return, for each citation, which places it is the first to show.

    A place counts once: a citation that shows only places that an earlier one has shown finds nothing, and so counts
    as irrelevant.

    :param citations: best first.
    :param places: the places that answer the question.
    :returns: a list for each citation of positions in `places`, each position at most once in all.
    :raises EvaluationError: when a citation has no `relative_source`.
    """
    left = dict(enumerate(places))
    found = []
    for citation in citations:
        shown = [number for number, place in left.items() if matches(citation, place)]
        for number in shown:
            del left[number]
        found.append(shown)
    return found


@lru_cache(maxsize=CACHED_TEXTS)
def normalised(text: str) -> str:
    """Return the letters and digits (Han characters are letters) of a text, in NFKC and without case.

    :param text: any text.
    """
    composed = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return OTHER_MARKS.sub("", composed)


@lru_cache(maxsize=CACHED_TEXTS)
def _ngrams(text: str) -> frozenset[str]:
    return frozenset(text[start : start + NGRAM] for start in range(len(text) - NGRAM + 1))


def _source(citation: KeptCitation) -> str:
    source = citation.get("relative_source")
    if not isinstance(source, str):
        raise EvaluationError(
            f"a citation of {citation.get('source')!r} has no 'relative_source'",
            "give its path from the documents' folder, with / between folders",
        )
    return _composed(source)


def _composed(source: str) -> str:
    """Compose accents: file systems of macOS list names decomposed."""
    return unicodedata.normalize("NFC", source)
