"""Order the candidates by both legs' scores, each weighed by what its leg can read of the query."""

import math
from dataclasses import dataclass, replace
from typing import Any

from haystack import Document, component

from components.errors import GraphError

UNRANKED = math.inf


@component
class ScoreRanker:
    """Ranks by a weighted sum of the two legs' normalised scores.

    `score = a * bm25 / max_bm25 + (1 - a) * (cosine - floor) / (max_cosine - floor)`, with
    `a = sparse_weight * coverage`, coverage being the share of the query's terms that the sparse index knows, and
    floor the lowest cosine in the dense list. A document outside a leg's list gets 0 from that leg; a leg that found
    nothing has no weight, and the other one all of it. So a query in another language than the documents, whose
    words the sparse index does not know, is ranked by its meaning. The convex combination of scores is that of
    Bruch, Gai and Ingber, *An Analysis of Fusion Functions for Hybrid Retrieval* (ACM TOIS, 2023).
    """

    def __init__(self, sparse_weight: float = 0.8, top_k: int = 20) -> None:
        """Keep the parameters.

        :param sparse_weight: weight of BM25 for a query of which the index knows every term, from 0 to 1.
        :param top_k: length of the ranking, 1 or more.
        :raises GraphError: when a parameter is out of bounds.
        """
        if not 0 <= sparse_weight <= 1:
            raise GraphError(f"ScoreRanker has sparse_weight={sparse_weight}", "give a number from 0 to 1")
        if top_k < 1:
            raise GraphError(f"ScoreRanker has top_k={top_k}", "give 1 or more")
        self.sparse_weight = sparse_weight
        self.top_k = top_k

    @component.output_types(documents=list[Document])
    def run(
        self,
        documents: list[Document],
        dense_documents: list[Document] | None = None,
        sparse_documents: list[Document] | None = None,
        sparse_leg: dict | None = None,
    ) -> dict[str, Any]:
        """Rank the candidates.

        :param documents: the candidates, with the score of their fusion; equal ones are ordered by the dense rank,
            the sparse rank and the id, since the order in which a joiner puts them is left to chance.
        :param dense_documents: what the dense leg found, best first; `score` is the cosine.
        :param sparse_documents: what the sparse leg found, best first; `score` is BM25.
        :param sparse_leg: the sparse leg's report, with `coverage` from 0 to 1 (1 where there is none).
        :returns: `documents`: at most `top_k` copies, best first, with `score` from 0 to 1, and in `meta`
            `ranks` (from 1, `dense`, `sparse`, `fusion` and `rerank`, without the legs that have not found the
            document) and `scores` (`dense`: cosine, `sparse`: BM25).
        """
        dense, sparse = _Leg.of(dense_documents), _Leg.of(sparse_documents)
        weight = self._weight_of_sparse(dense, sparse, sparse_leg)
        candidates = _in_order_of_fusion(documents, dense, sparse)
        scores = {
            id_: weight * sparse.share(id_, floor=0.0) + (1 - weight) * dense.share(id_, floor=dense.lowest)
            for id_ in candidates
        }
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
    ) -> dict[str, Any]:
        """Do what `run` does.

        :param documents: the candidates.
        :param dense_documents: what the dense leg found.
        :param sparse_documents: what the sparse leg found.
        :param sparse_leg: the sparse leg's report.
        :returns: `documents`.
        """
        return self.run(
            documents=documents,
            dense_documents=dense_documents,
            sparse_documents=sparse_documents,
            sparse_leg=sparse_leg,
        )

    def _weight_of_sparse(self, dense: "_Leg", sparse: "_Leg", report: dict[str, Any] | None) -> float:
        if not sparse.documents:
            return 0.0
        if not dense.documents:
            return 1.0
        coverage = float((report or {}).get("coverage", 1.0))
        return self.sparse_weight * min(max(coverage, 0.0), 1.0)


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

    @property
    def lowest(self) -> float:
        return min(self.scores.values(), default=0.0)

    def share(self, id_: str, floor: float) -> float:
        """Where a document's score lies between the floor (0) and the best (1); 1 where all are equal."""
        if id_ not in self.scores:
            return 0.0
        span = max(self.scores.values()) - floor
        return min(max((self.scores[id_] - floor) / span, 0.0), 1.0) if span > 0 else 1.0


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
    meta = {**document.meta, "ranks": {**in_legs, **ranks}, "scores": scores}
    return replace(document, score=score, meta=meta)
