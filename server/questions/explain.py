"""Why an answer cites what it cites: each result's rank and score at every stage, its words, the legs, the filter."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any, cast

from haystack import Document

from khub.components.answer import Answer
from khub.components.query.phrases import places
from khub.components.question import Expansion, Leg, Question
from khub.components.text.chunk_text import indexed_text
from khub.components.text.stopwords import without_stopwords
from khub.components.text.symbols import index_terms
from khub.components.value import as_json
from khub.server.questions.explained_answer import ExplainedAnswer, ExplainedStage
from khub.server.questions.explained_question import ExplainedQuestion
from khub.server.questions.explained_result import ExplainedPassage, HeldTerm, HeldTerms, OtherWords, StagePlace
from khub.server.questions.term_weights import term_weights
from khub.server.traces.record import StageSpan
from khub.server.traces.tracer import watch_stages

NEAREST = 5  # results that are explained where the answer cites none
ASKED_FOR = ("text", "terms", "phrases", "expansions", "glosses", "sub_queries", "intent", "preferences", "corrections")
"""What is told of the question, as the last stage that handed it on knew it."""


@dataclass(frozen=True)
class _Stage:
    span: StageSpan
    outputs: Mapping[str, Any]

    def rankings(self) -> dict[str, list[Document]]:
        """Return the lists of documents that the stage gives, by the name under which they are shown."""
        lists = {name: value for name, value in self.outputs.items() if _is_documents(value)}
        own = self.span.name
        return {own if name == "documents" else f"{own}.{name}": documents for name, documents in lists.items()}


@dataclass
class Explanation:
    """What the stages of a run gave."""

    stages: list[_Stage] = field(default_factory=list)

    def of(self, answer: Answer, query: str, filters: dict[str, Any] | None) -> ExplainedAnswer:
        """Explain an answer.

        Any graph will do: stages are told by their names, rankings by the lists of documents that they give.

        :param answer: what `ask` returned.
        :param query: the question as it was asked.
        :param filters: the caller's filter.
        :returns: as JSON can hold it: `question` (what the stages made of it, and `weights`: term -> inverse document
            frequency), `filters` (the caller's, `applied` with those found in the question), `confidence`, `legs`,
            `stages` (`name`, `method`, `ms`, `documents`, `degraded`), `results` (`chunk_id`, `cited`, `title`,
            `section`, `source`, `page`, `time_mark`, `score`; `stages`: name -> `rank` from 1 and `score`, the legs
            first; `scores` by part; `terms`: `term`, `count`, `idf`, `bm25` each; `missing`: terms that it does not
            hold; `other_words`: expansions that it holds, `words`, `of` (the term, where known) and `count` each).
        """
        asked = self._question() or Question(query, text=query)
        terms = asked.terms or without_stopwords(asked.text)
        rarity = self._rarity()
        stages = sorted(self.stages, key=lambda stage: stage.span.start)
        rankings = _rankings(stages)
        chunks = {d.id: d for _, ranking in rankings for d in ranking}  # of the last stage that has it
        weights = {term: rarity[term] for term in dict.fromkeys(terms) if term in rarity}
        return {
            "question": {**_told(asked), "terms": terms, "weights": weights},
            "filters": {"given": filters, "applied": as_json(answer.filters or asked.applied_filters)},
            "confidence": answer.confidence,
            "legs": as_json(answer.legs),
            "stages": [_stage(stage) for stage in stages],
            "results": [
                {
                    **_result(chunk_id, cited, chunks.get(chunk_id), answer),
                    "stages": _places(chunk_id, rankings),
                    **_words(chunks.get(chunk_id), terms, rarity),
                    "other_words": _other_words(chunks.get(chunk_id), asked.expansions),
                }
                for chunk_id, cited in _explained(answer, rankings)
            ],
        }

    def _question(self) -> Question | None:
        """Return the question as the stage that began last handed it on."""
        values = [v for s in sorted(self.stages, key=lambda s: s.span.start) for v in s.outputs.values()]
        return next((value for value in reversed(values) if isinstance(value, Question)), None)

    def _rarity(self) -> dict[str, float]:
        known: dict[str, float] = {}
        for stage in self.stages:
            leg = stage.outputs.get("leg")
            known |= leg.signs.rarity if isinstance(leg, Leg) else {}
        return known


@contextmanager
def explaining() -> Iterator[Explanation]:
    """Gather what the stages of the graph give that the block runs."""
    explanation = Explanation()

    def watch(span: StageSpan, outputs: Mapping[str, Any] | None) -> None:
        if outputs is not None:
            explanation.stages.append(_Stage(span, dict(outputs)))

    with watch_stages(watch):
        yield explanation


def _is_documents(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Document) for item in value)


def _rankings(stages: list[_Stage]) -> list[tuple[str, list[Document]]]:
    """Return all rankings by name: those of the legs, for either may begin first, then the others as they come.

    Of a question to several collections each of them has its own.
    """
    order = sorted(stages, key=lambda stage: (0, stage.span.name) if "leg" in stage.outputs else (1, ""))
    return [named for stage in order for named in stage.rankings().items()]


def _told(asked: Question) -> ExplainedQuestion:
    about = {"query" if name == "text" else name: as_json(getattr(asked, name)) for name in ASKED_FOR}
    return cast(ExplainedQuestion, {name: value for name, value in about.items() if value not in ([], {}, "")})


def _stage(stage: _Stage) -> ExplainedStage:
    degraded = stage.outputs.get("degraded")
    counts = {name: len(ranking) for name, ranking in stage.rankings().items()}
    return {
        "name": stage.span.name,
        "method": stage.span.method,
        "ms": stage.span.ms(),
        "documents": counts.get(stage.span.name) or (max(counts.values()) if counts else None),
        "degraded": list(degraded) if isinstance(degraded, list) else [],
    }


def _explained(answer: Answer, rankings: list[tuple[str, list[Document]]]) -> list[tuple[str, bool]]:
    cited = [citation.chunk_id for citation in answer.citations]
    if cited or not rankings:
        return [(chunk_id, True) for chunk_id in cited]
    return [(document.id, False) for document in rankings[-1][1][:NEAREST]]


def _result(chunk_id: str, cited: bool, chunk: Document | None, answer: Answer) -> ExplainedPassage:
    known = next((c for c in answer.citations if c.chunk_id == chunk_id), None)
    about: Mapping[str, Any] = vars(known) if known else chunk.meta if chunk else {}
    score = known.score if known else chunk.score if chunk else None
    return {
        "chunk_id": chunk_id,
        "cited": cited,
        "title": about.get("title"),
        "section": about.get("section"),
        "source": about.get("source"),
        "page": about.get("page"),
        "time_mark": about.get("time_mark"),
        "score": score,
        "scores": dict(chunk.meta.get("scores") or {}) if chunk else {},
    }


def _places(chunk_id: str, rankings: list[tuple[str, list[Document]]]) -> dict[str, StagePlace]:
    return {
        name: {"rank": rank, "score": document.score}
        for name, ranking in rankings
        for rank, document in enumerate(ranking, start=1)
        if document.id == chunk_id
    }


def _words(chunk: Document | None, terms: list[str], rarity: dict[str, float]) -> HeldTerms:
    if chunk is None:
        return {"terms": [], "missing": []}
    score = (chunk.meta.get("scores") or {}).get("sparse")
    held = term_weights(chunk, terms, rarity, score)
    known = {weight.term for weight in held}
    return {
        "terms": [cast(HeldTerm, asdict(weight)) for weight in held],
        "missing": [term for term in dict.fromkeys(terms) if term not in known],
    }


def _other_words(chunk: Document | None, expansions: list[Expansion]) -> list[OtherWords]:
    """Return the synonyms and translations that a chunk holds, the weightiest first."""
    tokens = index_terms(indexed_text(chunk)) if chunk and expansions else []
    found: list[OtherWords] = [
        {"words": " ".join(one.terms), "of": one.of, "count": _count(tokens, one)}
        for one in sorted(expansions, key=lambda one: -one.weight)
    ]
    return [one for one in found if one["count"]]


def _count(tokens: list[str], expansion: Expansion) -> int:
    if expansion.phrase:
        return len(places(tokens, expansion.terms))
    return min(tokens.count(term) for term in expansion.terms)
