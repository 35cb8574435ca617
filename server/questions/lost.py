"""Where a run lost a passage: the stage that dropped it, or why no leg had it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from haystack import Document

from khub.components.answer import Answer
from khub.components.catalog.catalog import open_catalog
from khub.components.degraded_entry import DegradedEntry
from khub.components.errors import QueryError
from khub.components.question import Leg, Question
from khub.components.text.chunk_text import indexed_text
from khub.components.text.stopwords import without_stopwords
from khub.components.text.symbols import index_terms
from khub.components.value import as_json
from khub.server.questions.again import asked_again
from khub.server.questions.explain import Explanation, explaining
from khub.server.reads.hub_reads import document_of, reader
from khub.server.traces.rankings import Known, Ranking, Step, rankings, way
from khub.server.traces.stage_record import StageRecord
from khub.server.traces.trace_record import TraceRecord

EVERYTHING = ""
"""The path of the section that is the whole document."""


class End(StrEnum):
    """What became of a passage."""

    SHOWN = "shown"
    DROPPED = "dropped"
    NEVER_FOUND = "never found"


@dataclass(frozen=True)
class Way:
    """The way of a passage through the stages.

    :param lost_at: the first list without it, behind the last that had it; None where it was shown, or never found.
    """

    chunk_id: str
    steps: list[Step]
    end: End
    lost_at: Ranking | None


@dataclass(frozen=True)
class LegView:
    """What a leg has to do with a passage that it did not find.

    :param hits: how many passages it found.
    :param least: the score of the last of them.
    :param cosine: of the passage with the question; None where the leg compares no vectors.
    """

    name: str
    used: bool
    reason: str
    hits: int
    least: float | None
    cosine: float | None


@dataclass(frozen=True)
class Lost:
    """Where a document's passages, or one passage, were lost.

    :param ways: of each of its passages, the one that came furthest first.
    :param trace_id: of the run that tells it: the question was asked anew; None where the old record was enough.
    :param degraded: stages of that run that were replaced, with `stage` and `reason`.
    :param changed_since: the document was written after the run that is looked into.
    :param is_filtered: the filter of the question keeps all its passages out.
    :param legs: of the new run, where no leg had found any of them.
    :param held: words of the question that its nearest passage holds.
    :param missing: those that it does not hold.
    :param same_as: the passage of another document that says the same and stands for it since it was dropped.
    """

    doc_id: str
    ways: list[Way]
    trace_id: str | None
    degraded: list[DegradedEntry]
    changed_since: bool
    is_filtered: bool
    legs: list[LegView]
    held: list[str]
    missing: list[str]
    same_as: str | None = None


def where_lost(record: Mapping[str, Any], doc_id: str, chunk_id: str | None = None) -> Lost:
    """Find out at which stage of a run a document was lost.

    A record keeps the first 20 of each list. Where that does not tell, the question is asked anew, through the graph
    and of the documents as they are now, and each stage is watched to its last passage.

    :param record: of the trace log, of kind `query`.
    :param chunk_id: the passage of the document that is meant; all of them if None.
    :raises QueryError: if the run searched another collection than the document's.
    :raises KhubError: if the document is not there for the caller, or the question cannot be asked anew.
    """
    row = document_of(doc_id)
    if record.get("collection") not in (None, row["collection"]):
        raise QueryError(
            f"this run searched collection {record['collection']!r}, the document is in {row['collection']!r}",
            f"look into the run that searched {row['collection']!r}",
        )
    chunks = [c for c in reader().chunks_of_section(doc_id, EVERYTHING) if chunk_id in (None, c.id)]
    changed_since = str(row["updated_at"]) > str(record.get("time"))
    ways = ways_of(rankings(record), [chunk.id for chunk in chunks])
    if ways and (ways[0].end is End.SHOWN or (not changed_since and all(map(_is_told, ways)))):
        return Lost(doc_id, ways, None, [], changed_since, False, [], [], [])
    with explaining() as watched:
        answer = asked_again(record)
    ways = ways_of(rankings(_at_full_depth(watched, answer)), [chunk.id for chunk in chunks])
    asked = _question(watched, str(record["query"]))
    nearest = next((chunk for chunk in chunks if chunk.id == ways[0].chunk_id), None)
    legs: list[LegView] = []
    if nearest and all(found.end is End.NEVER_FOUND for found in ways):
        nearest, legs = _nearest(str(row["collection"]), chunks, watched)
    held, missing = _words(nearest, asked)
    return Lost(
        doc_id,
        ways,
        answer.trace_id,
        as_json(answer.degraded),
        changed_since,
        _is_filtered(str(row["collection"]), chunks, asked),
        legs,
        held,
        missing,
        _same_as(watched, doc_id),
    )


def ways_of(lists: Sequence[Ranking], chunk_ids: Sequence[str]) -> list[Way]:
    """Return the ways of passages, the one first that came furthest and stood highest there."""
    return sorted((_way(lists, chunk_id) for chunk_id in chunk_ids), key=_how_far)


def _way(lists: Sequence[Ranking], chunk_id: str) -> Way:
    steps = way(lists, chunk_id)
    had = [place for place, step in enumerate(steps) if step.known is Known.IN]
    if not had:
        return Way(chunk_id, steps, End.NEVER_FOUND, None)
    receivers = [s.ranking for s in steps if steps[had[-1]].ranking.name in s.ranking.before]
    if not receivers:
        return Way(chunk_id, steps, End.SHOWN, None)
    return Way(chunk_id, steps, End.DROPPED, receivers[0])


def _how_far(found: Way) -> tuple[float, ...]:
    last = next((s for s in reversed(found.steps) if s.place is not None), None)
    if last is None or last.place is None:
        return (float("inf"),)
    return (-found.steps.index(last), last.place.rank)


def _is_told(found: Way) -> bool:
    """Say whether the record's lists are long enough: nothing that they leave out could change what is said."""
    if found.lost_at is None or any(step.known is Known.UNKNOWN for step in found.steps):
        return False
    ranks = [step.place.rank for step in found.steps if step.place is not None]
    return ranks[-1] > found.lost_at.count  # it stood behind those that were handed on; else something else dropped it


def _at_full_depth(watched: Explanation, answer: Answer) -> TraceRecord:
    """Return a record of the run whose lists are whole."""
    stages: list[StageRecord] = []
    for stage in watched.stages:
        record = stage.span.record(0.0, "standard")
        stages.append({**record, "output": {name: _whole(value) for name, value in stage.outputs.items()}})
    return {"stages": stages, "trace_id": answer.trace_id}


def _whole(value: Any) -> Any:
    if isinstance(value, list) and value and all(isinstance(item, Document) for item in value):
        kept = [{"id": d.id, "rank": rank, "score": d.score} for rank, d in enumerate(value, start=1)]
        return {"count": len(kept), "documents": kept}
    return value


def _question(watched: Explanation, query: str) -> Question:
    """Return the question as the last stage handed it on."""
    stages = sorted(watched.stages, key=lambda stage: stage.span.start)
    asked = [value for stage in stages for value in stage.outputs.values() if isinstance(value, Question)]
    return asked[-1] if asked else Question(query, text=query)


def _is_filtered(collection: str, chunks: Sequence[Document], asked: Question) -> bool:
    matching = open_catalog().chunks.matching(collection, asked.filters or None)
    return matching is not None and bool(chunks) and not {chunk.id for chunk in chunks} & set(matching)


def _same_as(watched: Explanation, doc_id: str) -> str | None:
    """Return a passage into which one of the document was merged."""
    documents = (d for stage in watched.stages for ranking in stage.rankings().values() for d in ranking)
    places = ((document.id, document.meta.get("also_in") or []) for document in documents)
    return next((chunk_id for chunk_id, also_in in places if any(p["doc_id"] == doc_id for p in also_in)), None)


def _words(chunk: Document | None, asked: Question) -> tuple[list[str], list[str]]:
    if chunk is None:
        return [], []
    terms, tokens = dict.fromkeys(asked.terms or without_stopwords(asked.text)), set(index_terms(indexed_text(chunk)))
    return [term for term in terms if term in tokens], [term for term in terms if term not in tokens]


def _nearest(collection: str, chunks: Sequence[Document], watched: Explanation) -> tuple[Document, list[LegView]]:
    """Return the passage nearest to the question by its vector, the first where no leg compares any, and the legs."""
    legs = [v for stage in watched.stages for v in stage.outputs.values() if isinstance(v, Leg)]
    cosines = [_cosines(collection, chunks, leg) for leg in legs]
    best = max(chunks, key=lambda c: max((cosine.get(c.id, -1.0) for cosine in cosines), default=-1.0))
    views = [
        LegView(leg.name, leg.used, leg.reason, len(leg.documents), _least(leg), cosine.get(best.id))
        for leg, cosine in zip(legs, cosines, strict=True)
    ]
    return best, views


def _least(leg: Leg) -> float | None:
    return min((d.score for d in leg.documents if d.score is not None), default=None)


def _cosines(collection: str, chunks: Sequence[Document], leg: Leg) -> dict[str, float]:
    """Return the cosine of each passage with what the leg compares passages in its language with."""
    if not leg.vectors:
        return {}
    catalog = open_catalog()
    fingerprint = catalog.collections.binding(collection)["embedder"]["fingerprint"]
    languages = {chunk.id: str(chunk.meta.get("language")) for chunk in chunks}
    vectors = catalog.vectors.of_chunks(collection, list(languages), fingerprint)
    return {i: _cosine(vector, leg.vectors.get(languages[i], leg.vectors[""])) for i, vector in vectors.items()}


def _cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other) / max(float(np.linalg.norm(one) * np.linalg.norm(other)), 1e-12)
