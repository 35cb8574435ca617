"""Rank the candidates of all legs by a weighted sum of their scores."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from haystack import Document, component
from haystack.core.component.types import Variadic

from khub.components.errors import ParameterError
from khub.components.question import Leg, Question
from khub.components.rankers.candidate_scores import candidate_cosines
from khub.components.rankers.coordination import coordination
from khub.components.rankers.rescored import rescored
from khub.components.text.chunk_text import indexed_text
from khub.components.text.codes import codes_in
from khub.components.text.figure_words import without_figure_words
from khub.components.text.heading_codes import heading_codes

UNRANKED = math.inf
FUSIONS = ("weighted_sum", "rrf")


@component
class ScoreRanker:
    """Rank documents by the scores of the legs, or in the order of their fusion.

    `weighted_sum`: `sparse_weight * bm25 / best bm25 + (1 - sparse_weight) * meaning`, with
    `meaning = 1 - (best cosine - cosine) / (cosine_span * spread)`, spread being the standard deviation of the
    question's cosine to passages at random, which makes embedders comparable. (A convex combination of scores, as in
    Bruch, Gai and Ingber, *An Analysis of Fusion Functions for Hybrid Retrieval*, ACM TOIS, 2023.) A passage that the
    keyword leg alone has found has its cosine, too; a leg that found nothing has no weight. A further leg of cosines
    that tells a `weight` (`ImageRetriever`) adds that much of a `meaning` of its own to what it found. Then passages
    that hold (nearly) all of the question's words, those in pictures apart, go ahead: `(score + coordination_weight *
    c) / (1 + coordination_weight * greatest c)`, c from 0 to 1 (`khub.components.rankers.coordination`).

    `rrf`: the candidates' own score, which is that of reciprocal rank fusion where Haystack's `DocumentJoiner` made it.
    So it is where no `Leg` comes with the documents, as from a retriever that knows none.

    :param sparse_weight: weight of BM25, from 0 to 1.
    :param top_k: length of the ranking, 1 or more; more for a question that wants many (`Question.depth`).
    :param cosine_span: how far behind the best cosine a passage counts for nothing, in standard deviations of the
        cosine to passages at random, above 0.
    :param coordination_weight: by how much a passage that holds all of the question's words is ahead, 0 or more.
    :param fusion: `weighted_sum` or `rrf`.
    :raises GraphError: when a parameter is out of bounds.
    """

    def __init__(
        self,
        sparse_weight: float = 0.3,
        top_k: int = 40,
        cosine_span: float = 3.0,
        coordination_weight: float = 0.6,
        fusion: str = "weighted_sum",
    ) -> None:
        bounds = {
            "sparse_weight": (sparse_weight, 0 <= sparse_weight <= 1, "give a number from 0 to 1"),
            "top_k": (top_k, top_k >= 1, "give 1 or more"),
            "cosine_span": (cosine_span, cosine_span > 0, "give a number above 0"),
            "coordination_weight": (coordination_weight, coordination_weight >= 0, "give 0 or more"),
            "fusion": (fusion, fusion in FUSIONS, f"give one of {', '.join(FUSIONS)}"),
        }
        for name, (value, fits, remedy) in bounds.items():
            if not fits:
                raise ParameterError(f"ScoreRanker has {name}={value!r}", remedy)
        self.sparse_weight = sparse_weight
        self.top_k = top_k
        self.cosine_span = cosine_span
        self.coordination_weight = coordination_weight
        self.fusion = fusion

    @component.output_types(documents=list[Document])
    def run(self, question: Question, documents: list[Document], legs: Variadic[Leg] = ()) -> dict[str, Any]:
        """Rank the candidates.

        :param documents: the candidates with the score of their fusion; equal ones are ordered by the legs' ranks and
            the id, since the order in which a joiner puts them is left to chance.
        :param legs: what the legs have found: of `dense` the scores are cosines, of `sparse` BM25.
        :returns: `documents`: the first of them as copies, best first, with `score` from 0 to 1, and in `meta` `ranks`
            (from 1: that in each leg which found the document, `fusion` and `rerank`) and `scores` (`dense`: cosine,
            `sparse`: BM25, `coordination`).
        """
        told = {leg.name: leg for leg in sorted(filter(None, legs), key=lambda leg: leg.name)}
        found = {name: _scores(leg.documents) for name, leg in told.items()}
        candidates = _in_order_of_fusion(documents, list(found.values()))
        dense = told.get("dense")
        if self.fusion == "rrf" or not any(found.values()):
            scores = _shares({id_: candidates[id_].score or 0.0 for id_ in candidates})
            cosines: Mapping[str, float] = found.get("dense", {})
        else:
            cosines = candidate_cosines(list(candidates.values()), dense, question) if dense else {}
            scores = self._sums(candidates, found.get("sparse", {}), cosines, dense)
            for leg in told.values():
                scores = _with_leg(scores, leg, self.cosine_span)
        held = self._coordination(question, candidates)
        whole = 1 + self.coordination_weight * max(held.values(), default=0.0)
        scores = {i: (score + self.coordination_weight * held.get(i, 0.0)) / whole for i, score in scores.items()}
        fusion = {id_: rank for rank, id_ in enumerate(candidates, start=1)}
        order = sorted(candidates, key=lambda id_: (-scores[id_], fusion[id_]))[: question.depth(self.top_k)]
        of_legs = {**found, "dense": cosines}
        return {
            "documents": [
                rescored(
                    candidates[id_],
                    max(scores[id_], 0.0),
                    {**_ranks(id_, found), "fusion": fusion[id_], "rerank": rank},
                    {name: known[id_] for name, known in {**of_legs, "coordination": held}.items() if id_ in known},
                )
                for rank, id_ in enumerate(order, start=1)
            ]
        }

    def _sums(
        self,
        candidates: Mapping[str, Document],
        keywords: Mapping[str, float],
        cosines: Mapping[str, float],
        dense: Leg | None,
    ) -> dict[str, float]:
        weight = self.sparse_weight if keywords and cosines else float(bool(keywords))
        words = _shares(keywords)
        best = max(cosines.values(), default=0.0)
        spread = dense.spread if dense else None
        span = self.cosine_span * spread if spread else best - min(cosines.values(), default=0.0)
        meaning = {id_: 1 - (best - cosine) / span if span > 0 else 1.0 for id_, cosine in cosines.items()}
        return {id_: weight * words.get(id_, 0.0) + (1 - weight) * meaning.get(id_, 0.0) for id_ in candidates}

    def _coordination(self, question: Question, candidates: Mapping[str, Document]) -> dict[str, float]:
        """Say how near each passage is to holding all of the question's words, where that is more than 0.

        One under a heading with a code of the question (section 6.5.10) is as near as can be; where there is none, one
        that names the code: what the other words say of it stands in the code.
        """
        if not self.coordination_weight or self.fusion == "rrf":
            return {}
        codes = codes_in(question.text)
        texts = [without_figure_words(indexed_text(document)) for document in candidates.values()]
        degrees = zip(candidates, coordination(question.terms, texts, question.expansions), strict=True)
        held = {id_: degree for id_, degree in degrees if degree}
        for code in codes:
            headed = [id_ for id_, passage in candidates.items() if code in heading_codes(passage)]
            named = (id_ for id_, text in zip(candidates, texts, strict=True) if code in codes_in(text))
            held |= dict.fromkeys(headed or named, 1.0)
        return held


def _with_leg(scores: Mapping[str, float], leg: Leg, span: float) -> dict[str, float]:
    """Return the scores with what a further leg has found; one that says its `weight` has cosines, too."""
    weight, spread = leg.weight, leg.spread or 0.0
    cosines = _scores(leg.documents)
    if not weight or not cosines:
        return dict(scores)
    best = max(cosines.values())
    near = {id_: max(1 - (best - cosine) / (span * spread), 0.0) if spread else 1.0 for id_, cosine in cosines.items()}
    return {id_: (score + weight * near.get(id_, 0.0)) / (1 + weight) for id_, score in scores.items()}


def _scores(documents: Sequence[Document]) -> dict[str, float]:
    """Return the score of each document that has one, best first."""
    found: dict[str, float] = {}
    for document in documents:
        if document.score is not None and math.isfinite(document.score):
            found.setdefault(document.id, float(document.score))
    return found


def _shares(scores: Mapping[str, float]) -> dict[str, float]:
    """Return each score's share of the best one; 1 for all where that is 0."""
    best = max(scores.values(), default=0.0)
    return {id_: max(score, 0.0) / best if best > 0 else 1.0 for id_, score in scores.items()}


def _ranks(id_: str, found: Mapping[str, Mapping[str, float]]) -> dict[str, int]:
    return {name: list(scores).index(id_) + 1 for name, scores in found.items() if id_ in scores}


def _in_order_of_fusion(documents: list[Document], legs: list[dict[str, float]]) -> dict[str, Document]:
    ranks = [{id_: rank for rank, id_ in enumerate(scores)} for scores in legs]
    found = {document.id: document for document in reversed(documents)}

    def place(id_: str) -> tuple[Any, ...]:
        score = found[id_].score
        return (UNRANKED if score is None else -score, *(rank.get(id_, UNRANKED) for rank in ranks), id_)

    return {id_: found[id_] for id_ in sorted(found, key=place)}
