"""Order the candidates by both legs' scores, each weighed by what its leg can read of the query."""

import math
from dataclasses import dataclass
from typing import Any

from haystack import Document, component

from components.errors import GraphError
from components.rankers.rescored import rescored
from components.text.language import detect_language, may_be_same

UNRANKED = math.inf
COVERED = 0.8  # share of a query's terms from which the index counts as knowing its words
FUSIONS = ("adaptive", "weighted_sum", "rrf")


@component
class ScoreRanker:
    """Ranks the candidates of two legs by their normalised scores, or by their ranks.

    `fusion` says how:

    - `weighted_sum`: `score = a * bm25 / max_bm25 + (1 - a) * (cosine - floor) / (max_cosine - floor)` with
      `a = sparse_weight`, floor being the lowest cosine in the dense list. A document outside a leg's list gets 0 from
      that leg; a leg that found nothing has no weight, and the other one all of it. This convex combination of scores
      is that of Bruch, Gai and Ingber, *An Analysis of Fusion Functions for Hybrid Retrieval* (ACM TOIS, 2023).
    - `adaptive` (default): the same with weights for each query and passage. `a = sparse_weight * min(coverage / 0.8,
      1)`, coverage being the share of the query's terms that the sparse index knows: a query in another language than
      the documents, whose words the index does not know, is ranked by its meaning, while a few unknown words, such as
      those that only make it a question, say nothing. In a collection of several languages, a passage in
      another language than the query shares few of its words, and its cosine is lower than that of a passage in the
      query's own which says the same. So `a` is less for it, and something is added to its cosine: otherwise whatever
      is in the query's language would stand before it.
    - `rrf`: the order of the candidates' own score, which is that of reciprocal rank fusion where they come from
      Haystack's `DocumentJoiner`; `score` is its share of the best one. It takes no notice of how far apart scores are.
    """

    def __init__(
        self,
        sparse_weight: float = 0.65,
        top_k: int = 30,
        other_language_sparse: float = 0.5,
        other_language_cosine: float = 0.1,
        fusion: str = "adaptive",
    ) -> None:
        """Keep the parameters.

        :param sparse_weight: weight of BM25, from 0 to 1; where `fusion` is `adaptive`, for a query of which the index
            knows most terms.
        :param top_k: length of the ranking, 1 or more.
        :param other_language_sparse: `adaptive` only: the part of BM25's weight that is left for a passage in another
            language than the query, from 0 to 1.
        :param other_language_cosine: `adaptive` only: what is added to the cosine of such a passage, from 0 to 1.
        :param fusion: `adaptive`, `weighted_sum` or `rrf`.
        :raises GraphError: when a parameter is out of bounds.
        """
        shares = {
            "sparse_weight": sparse_weight,
            "other_language_sparse": other_language_sparse,
            "other_language_cosine": other_language_cosine,
        }
        for name, value in shares.items():
            if not 0 <= value <= 1:
                raise GraphError(f"ScoreRanker has {name}={value}", "give a number from 0 to 1")
        if top_k < 1:
            raise GraphError(f"ScoreRanker has top_k={top_k}", "give 1 or more")
        if fusion not in FUSIONS:
            raise GraphError(f"ScoreRanker has fusion={fusion!r}", f"give one of {', '.join(FUSIONS)}")
        self.sparse_weight = sparse_weight
        self.top_k = top_k
        self.other_language_sparse = other_language_sparse
        self.other_language_cosine = other_language_cosine
        self.fusion = fusion

    @component.output_types(documents=list[Document])
    def run(
        self,
        documents: list[Document],
        dense_documents: list[Document] | None = None,
        sparse_documents: list[Document] | None = None,
        sparse_leg: dict | None = None,
        query: str | None = None,
    ) -> dict[str, Any]:
        """Rank the candidates.

        :param documents: the candidates, with the score of their fusion; equal ones are ordered by the dense rank,
            the sparse rank and the id, since the order in which a joiner puts them is left to chance.
        :param dense_documents: what the dense leg found, best first; `score` is the cosine.
        :param sparse_documents: what the sparse leg found, best first; `score` is BM25.
        :param sparse_leg: the sparse leg's report, with `coverage` from 0 to 1 (1 where there is none).
        :param query: the question, whose language is compared with each passage's `meta["language"]`; without it, all
            passages count as being in its language.
        :returns: `documents`: at most `top_k` copies, best first, with `score` from 0 to 1, and in `meta`
            `ranks` (from 1, `dense`, `sparse`, `fusion` and `rerank`, without the legs that have not found the
            document) and `scores` (`dense`: cosine, `sparse`: BM25).
        """
        dense, sparse = _Leg.of(dense_documents), _Leg.of(sparse_documents)
        candidates = _in_order_of_fusion(documents, dense, sparse)
        if self.fusion == "rrf":
            scores = _shares({document.id: document.score or 0.0 for document in reversed(documents)}, floor=0.0)
        else:
            scores = self._sums(candidates, dense, sparse, sparse_leg, query)
        fusion = {id_: rank for rank, id_ in enumerate(candidates, start=1)}
        best = sorted(candidates, key=lambda id_: (-scores[id_], fusion[id_]))[: self.top_k]
        return {
            "documents": [
                _ranked(candidates[id_], scores[id_], {"fusion": fusion[id_], "rerank": rank}, dense, sparse)
                for rank, id_ in enumerate(best, start=1)
            ]
        }

    @component.output_types(documents=list[Document])
    async def run_async(
        self,
        documents: list[Document],
        dense_documents: list[Document] | None = None,
        sparse_documents: list[Document] | None = None,
        sparse_leg: dict | None = None,
        query: str | None = None,
    ) -> dict[str, Any]:
        """Do what `run` does.

        :param documents: the candidates.
        :param dense_documents: what the dense leg found.
        :param sparse_documents: what the sparse leg found.
        :param sparse_leg: the sparse leg's report.
        :param query: the question.
        :returns: `documents`.
        """
        return self.run(
            documents=documents,
            dense_documents=dense_documents,
            sparse_documents=sparse_documents,
            sparse_leg=sparse_leg,
            query=query,
        )

    def _sums(
        self,
        candidates: dict[str, Document],
        dense: "_Leg",
        sparse: "_Leg",
        report: dict[str, Any] | None,
        query: str | None,
    ) -> dict[str, float]:
        adaptive = self.fusion == "adaptive"
        weight = self._weight_of_sparse(dense, sparse, report if adaptive else None)
        foreign = _in_another_language(candidates, query if adaptive else None)
        cosines = {
            id_: cosine + foreign.get(id_, 0) * self.other_language_cosine for id_, cosine in dense.scores.items()
        }
        words, meaning = _shares(sparse.scores, floor=0.0), _shares(cosines, min(cosines.values(), default=0.0))
        scores = {}
        for id_ in candidates:
            part = weight * (self.other_language_sparse if foreign[id_] and dense.documents else 1)
            scores[id_] = part * words.get(id_, 0.0) + (1 - part) * meaning.get(id_, 0.0)
        return scores

    def _weight_of_sparse(self, dense: "_Leg", sparse: "_Leg", report: dict[str, Any] | None) -> float:
        if not sparse.documents:
            return 0.0
        if not dense.documents:
            return 1.0
        coverage = float((report or {}).get("coverage", 1.0))
        return self.sparse_weight * min(max(coverage, 0.0) / COVERED, 1.0)


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


def _in_another_language(candidates: dict[str, Document], query: str | None) -> dict[str, bool]:
    language = detect_language(query) if query else None
    return {id_: not may_be_same(language, document.meta.get("language")) for id_, document in candidates.items()}


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


def _ranked(document: Document, score: float, ranks: dict[str, int], dense: _Leg, sparse: _Leg) -> Document:
    legs = {"dense": dense, "sparse": sparse}
    in_legs = {name: leg.ranks[document.id] for name, leg in legs.items() if document.id in leg.ranks}
    scores = {name: leg.scores[document.id] for name, leg in legs.items() if document.id in leg.scores}
    return rescored(document, score, {**in_legs, **ranks}, scores)
