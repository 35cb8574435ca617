"""Order the candidates by both legs' scores, each weighed by what its leg can read of the query."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from haystack import Document, component

from components.errors import GraphError
from components.rankers.coordination import coordination
from components.rankers.keyword_shares import shares_by_language
from components.rankers.keyword_weight import grown, lead
from components.rankers.language_shares import language_shares
from components.rankers.local_scaling import languages_of, standing_out
from components.rankers.rescored import rescored
from components.text.chunk_text import indexed_text
from components.text.language import detect_language

UNRANKED = math.inf
FUSIONS = ("adaptive", "weighted_sum", "rrf")


@component
class ScoreRanker:
    """Ranks the candidates of two legs by their scores, or by their ranks.

    `fusion` says how:

    - `weighted_sum`: `score = a * bm25 / max_bm25 + (1 - a) * (cosine - floor) / (max_cosine - floor)` with
      `a = sparse_weight`, floor being the lowest cosine in the dense list. A document outside a leg's list gets 0 from
      that leg; a leg that found nothing has no weight, and the other one all of it. This convex combination of scores
      is that of Bruch, Gai and Ingber, *An Analysis of Fusion Functions for Hybrid Retrieval* (ACM TOIS, 2023).
    - `adaptive` (default): the same, but for the cosine. How much it tells depends on how much cosines differ by
      chance, and not on which passage happens to be last in a list: instead of the distance to the floor, it counts by
      `1 - (max_cosine - cosine) / (cosine_span * spread)`, spread being the standard deviation of the question's
      cosine to passages at random, which makes embedders comparable. And a passage in another language than the
      question is compared with those of its own (`standing_out`), in a collection of several languages: otherwise
      whatever is in the question's language would stand before it. So it is with BM25, where a language's best passage
      stands out (`shares_by_language`). The weight of the keywords grows with how far the best of them is ahead of the
      others (`components.rankers.keyword_weight`). Then the passages that hold (nearly) all of the question's words go
      ahead: `score = (score + coordination_weight * c) / (1 + coordination_weight * greatest c)`, c from 0 to 1 being
      how near a passage comes to that (`components.rankers.coordination`).
    - `rrf`: the order of the candidates' own score, which is that of reciprocal rank fusion where they come from
      Haystack's `DocumentJoiner`; `score` is its share of the best one. It takes no notice of how far apart scores are.
    """

    def __init__(
        self,
        sparse_weight: float = 0.4,
        top_k: int = 30,
        cosine_span: float = 3.0,
        neighbours: int = 20,
        scaling: float = 1.0,
        lead_gain: float = 3.0,
        coordination_weight: float = 0.6,
        language_tolerance: float | None = 3.0,
        fusion: str = "adaptive",
    ) -> None:
        """Keep the parameters.

        :param sparse_weight: weight of BM25, from 0 to 1; with `adaptive`, that of a typical question.
        :param top_k: length of the ranking, 1 or more; with `adaptive`, so many in each language.
        :param cosine_span: `adaptive` only: how far behind the best cosine a passage counts for nothing, in standard
            deviations of the cosine to passages at random, above 0.
        :param neighbours: `adaptive` only: with the mean of so many of the best cosines in its language each passage is
            compared, 1 or more.
        :param scaling: `adaptive` only: how much of that mean is taken off each cosine, from 0 to 1. At 0, cosines of
            all languages are compared as they are; at 1, all that counts is how far ahead a passage is in its own.
        :param lead_gain: `adaptive` only: by so much the logit of the weight of BM25 grows with the lead of the best
            keyword score, 0 or more; at 0 all questions have the same weight.
        :param coordination_weight: `adaptive` only: by how much a passage that holds all of the question's words is
            ahead, 0 or more.
        :param language_tolerance: `adaptive` only: so many standard deviations of the cosine to passages at random the
            best passage of a language may be behind the best one of all until its language counts half, above 0; None
            for all languages alike.
        :param fusion: `adaptive`, `weighted_sum` or `rrf`.
        :raises GraphError: when a parameter is out of bounds.
        """
        for name, share in {"sparse_weight": sparse_weight, "scaling": scaling}.items():
            if not 0 <= share <= 1:
                raise GraphError(f"ScoreRanker has {name}={share}", "give a number from 0 to 1")
        if cosine_span <= 0:
            raise GraphError(f"ScoreRanker has cosine_span={cosine_span}", "give a number above 0")
        if language_tolerance is not None and language_tolerance <= 0:
            raise GraphError(
                f"ScoreRanker has language_tolerance={language_tolerance}", "give a number above 0, or null"
            )
        for name, gain in {"lead_gain": lead_gain, "coordination_weight": coordination_weight}.items():
            if gain < 0:
                raise GraphError(f"ScoreRanker has {name}={gain}", "give 0 or more")
        for name, value in {"top_k": top_k, "neighbours": neighbours}.items():
            if value < 1:
                raise GraphError(f"ScoreRanker has {name}={value}", "give 1 or more")
        if fusion not in FUSIONS:
            raise GraphError(f"ScoreRanker has fusion={fusion!r}", f"give one of {', '.join(FUSIONS)}")
        self.sparse_weight = sparse_weight
        self.top_k = top_k
        self.cosine_span = cosine_span
        self.neighbours = neighbours
        self.scaling = scaling
        self.lead_gain = lead_gain
        self.coordination_weight = coordination_weight
        self.language_tolerance = language_tolerance
        self.fusion = fusion

    @component.output_types(documents=list[Document])
    def run(
        self,
        documents: list[Document],
        dense_documents: list[Document] | None = None,
        sparse_documents: list[Document] | None = None,
        dense_leg: dict | None = None,
        cosines: Mapping[str, float] | None = None,
        query: str | None = None,
        terms: list[str] | None = None,
        expansions: list[dict[str, Any]] | None = None,
    ) -> dict[str, Any]:
        """Rank the candidates.

        :param documents: the candidates, with the score of their fusion; equal ones are ordered by the dense rank,
            the sparse rank and the id, since the order in which a joiner puts them is left to chance.
        :param dense_documents: what the dense leg found, best first; `score` is the cosine.
        :param sparse_documents: what the sparse leg found, best first; `score` is BM25.
        :param dense_leg: the dense leg's report, with `means` (of each language) and `spread`, mean and standard
            deviation of the question's cosine to passages at random; without them, `adaptive` takes the distance to the
            lowest cosine, as `weighted_sum` does, and all languages alike.
        :param cosines: those of further candidates, by id (see `CosineScores`); `adaptive` only.
        :param query: the question, whose language is compared with each passage's `meta["language"]`; without it, all
            passages count as being in its language.
        :param terms: tokens of the question without stop words; without them, no passage holds them all. `adaptive`
            only, as `expansions`.
        :param expansions: other words for some of the terms, expansions (see `QueryAnalyzer`) and translations (see
            `QueryTranslation`): without these, no passage in another language holds the question's words.
        :returns: `documents`: the first `top_k` as copies, best first, with `score` from 0 to 1, and in `meta`
            `ranks` (from 1, `dense`, `sparse`, `fusion` and `rerank`, without the legs that have not found the
            document) and `scores` (`dense`: cosine, `sparse`: BM25, `coordination`: how near the passage is to holding
            all of the question's words, where it is near, `language`: what its language counts, where that is not 1).
        """
        dense, sparse = _Leg.of(dense_documents), _Leg.of(sparse_documents)
        candidates = _in_order_of_fusion(documents, dense, sparse)
        languages = _languages(candidates, query if self.fusion == "adaptive" else None)
        if self.fusion == "rrf":
            scores = _shares({document.id: document.score or 0.0 for document in reversed(documents)}, floor=0.0)
        else:
            meaning = _shares(dense.scores, min(dense.scores.values(), default=0.0))
            if self.fusion == "adaptive":
                meaning = self._meaning(languages, {**dense.scores, **(cosines or {})}, dense_leg) or meaning
            scores = self._sums(candidates, dense, sparse, meaning, languages)
        counting = self._counting(languages, {**dense.scores, **(cosines or {})}, dense_leg)
        held = self._coordination(candidates, terms or [], expansions or [])
        gained = {i: self.coordination_weight * held.get(i, 0.0) * counting.get(i, 1.0) for i in candidates}
        whole = 1 + max(gained.values(), default=0.0)
        # scores may be below 0, where a factor would bring them forward
        scores = {i: (score - (1 - counting.get(i, 1.0)) + gained[i]) / whole for i, score in scores.items()}
        fusion = {id_: rank for rank, id_ in enumerate(candidates, start=1)}
        best = self._first(sorted(candidates, key=lambda id_: (-scores[id_], fusion[id_])), languages)
        return {
            "documents": [
                _ranked(
                    candidates[id_],
                    max(scores[id_], 0.0),
                    {"fusion": fusion[id_], "rerank": rank},
                    {"dense": dense, "sparse": sparse},
                    {
                        name: value[id_]
                        for name, value in {"coordination": held, "language": counting}.items()
                        if id_ in value
                    },
                )
                for rank, id_ in enumerate(best, start=1)
            ]
        }

    @component.output_types(documents=list[Document])
    async def run_async(
        self,
        documents: list[Document],
        dense_documents: list[Document] | None = None,
        sparse_documents: list[Document] | None = None,
        dense_leg: dict | None = None,
        cosines: Mapping[str, float] | None = None,
        query: str | None = None,
        terms: list[str] | None = None,
        expansions: list[dict[str, Any]] | None = None,
    ) -> dict[str, Any]:
        """Do what `run` does.

        :param documents: the candidates.
        :param dense_documents: what the dense leg found.
        :param sparse_documents: what the sparse leg found.
        :param dense_leg: the dense leg's report.
        :param cosines: those of further candidates.
        :param query: the question.
        :param terms: tokens of the question.
        :param expansions: other words for some of them.
        :returns: `documents`.
        """
        return self.run(
            documents=documents,
            dense_documents=dense_documents,
            sparse_documents=sparse_documents,
            dense_leg=dense_leg,
            cosines=cosines,
            query=query,
            terms=terms,
            expansions=expansions,
        )

    def _sums(
        self,
        candidates: dict[str, Document],
        dense: "_Leg",
        sparse: "_Leg",
        meaning: Mapping[str, float],
        languages: Mapping[str, str],
    ) -> dict[str, float]:
        weight, words = self.sparse_weight, _shares(sparse.scores, floor=0.0)
        if self.fusion == "adaptive":
            weight = grown(weight, lead(sparse.scores.values(), len(candidates)), self.lead_gain)
            words = shares_by_language(sparse.scores, languages)
        if not sparse.documents or not dense.documents:
            weight = 1.0 if sparse.documents else 0.0
        return {id_: weight * words.get(id_, 0.0) + (1 - weight) * meaning.get(id_, 0.0) for id_ in candidates}

    def _coordination(
        self, candidates: dict[str, Document], terms: list[str], expansions: list[dict[str, Any]]
    ) -> dict[str, float]:
        """Say how near each passage is to holding all of the question's words, where that is more than 0."""
        if self.fusion != "adaptive" or not self.coordination_weight:
            return {}
        texts = [indexed_text(document) for document in candidates.values()]
        degrees = zip(candidates, coordination(terms, texts, expansions), strict=True)
        return {id_: degree for id_, degree in degrees if degree}

    def _counting(
        self, languages: Mapping[str, str], cosines: Mapping[str, float], report: Mapping[str, Any] | None
    ) -> dict[str, float]:
        """Say what each passage counts by its language, where that is not 1."""
        means, spread = (report or {}).get("means"), (report or {}).get("spread")
        if self.fusion != "adaptive" or self.language_tolerance is None or not means or not spread:
            return {}
        shares = language_shares(cosines, languages, means, spread, self.language_tolerance)
        return {i: shares[one] for i, one in languages.items() if shares.get(one, 1.0) < 1}

    def _meaning(
        self, languages: Mapping[str, str], cosines: Mapping[str, float], report: Mapping[str, Any] | None
    ) -> dict[str, float]:
        """Say how near each passage is: the one that stands out most has 1. Empty where that cannot be said."""
        known = {id_: cosine for id_, cosine in cosines.items() if id_ in languages}
        ahead = standing_out(known, languages, self.neighbours, self.scaling)
        best = max(ahead.values(), default=0.0)
        spread = (report or {}).get("spread")
        span = self.cosine_span * spread if spread else best - min(ahead.values(), default=0.0)
        return {id_: 1 - (best - value) / span for id_, value in ahead.items()} if span > 0 else {}

    def _first(self, order: list[str], languages: Mapping[str, str]) -> list[str]:
        """Take the first `top_k` in each language."""
        taken: Counter[str] = Counter()
        best = []
        for id_ in order:
            taken[languages[id_]] += 1
            if taken[languages[id_]] <= self.top_k:
                best.append(id_)
        return best


@dataclass(frozen=True)
class _Leg:
    documents: dict[str, Document]
    ranks: dict[str, int]
    scores: dict[str, float]

    @classmethod
    def of(cls, documents: list[Document] | None) -> "_Leg":
        found = _first_of_each(documents or [])
        ranks = {id_: rank for rank, id_ in enumerate(found, start=1)}
        scores = {i: float(d.score) for i, d in found.items() if d.score is not None and math.isfinite(d.score)}
        return cls(found, ranks, scores)


def _shares(scores: dict[str, float], floor: float) -> dict[str, float]:
    """Say where each score lies between the floor (0) and the best (1); all are 1 where they are equal."""
    span = max(scores.values(), default=floor) - floor
    return {id_: min(max((score - floor) / span, 0.0), 1.0) if span > 0 else 1.0 for id_, score in scores.items()}


def _languages(candidates: dict[str, Document], query: str | None) -> dict[str, str]:
    passages = [(id_, document.meta.get("language")) for id_, document in candidates.items()]
    return languages_of(passages, detect_language(query) if query else None)


def _first_of_each(documents: list[Document]) -> dict[str, Document]:
    found: dict[str, Document] = {}
    for document in documents:
        found.setdefault(document.id, document)
    return found


def _in_order_of_fusion(documents: list[Document], dense: _Leg, sparse: _Leg) -> dict[str, Document]:
    found = _first_of_each(documents)

    def place(id_: str) -> tuple[float, float, float, str]:
        score = found[id_].score
        return (
            UNRANKED if score is None else -score,
            dense.ranks.get(id_, UNRANKED),
            sparse.ranks.get(id_, UNRANKED),
            id_,
        )

    # which leg's copy of a document the joiner has kept depends on which leg was first
    return {i: dense.documents.get(i) or sparse.documents.get(i) or found[i] for i in sorted(found, key=place)}


def _ranked(
    document: Document,
    score: float,
    ranks: dict[str, int],
    legs: Mapping[str, _Leg],
    further: Mapping[str, float],
) -> Document:
    in_legs = {name: leg.ranks[document.id] for name, leg in legs.items() if document.id in leg.ranks}
    scores = {name: leg.scores[document.id] for name, leg in legs.items() if document.id in leg.scores}
    return rescored(document, score, {**in_legs, **ranks}, {**scores, **further})
