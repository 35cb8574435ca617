"""The passages of a collection that may speak about each of several claims."""

import contextvars
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from haystack import Document, component, default_to_dict
from haystack.core.component import Component
from haystack.core.serialization import component_to_dict

from khub.components.answer import LegReport
from khub.components.answers.leg_reports import whole_legs
from khub.components.cancellation import stop_if_cancelled
from khub.components.degraded_entry import DegradedEntry
from khub.components.errors import ParameterError
from khub.components.guard import Guard
from khub.components.question import Question, check_legs
from khub.components.text.stopwords import without_stopwords
from khub.components.verify.bounds import looked_at


@component
class ClaimRetriever:
    """Searches for each claim with the legs of a query graph, several claims at a time.

    :param dense: the dense leg, such as a `DenseRetriever`.
    :param sparse: the keyword leg, such as a `SparseRetriever`.
    :param top_k: passages that each leg gives for a claim, 1 or more.
    :param concurrency: claims that are searched for at the same time, 1 or more.
    :param timeout_s: seconds that a leg has for a claim; one that fails or is late is left out, and told.
    :raises GraphError: when a number is out of bounds.
    """

    def __init__(
        self, dense: Component, sparse: Component, top_k: int = 8, concurrency: int = 2, timeout_s: float = 5.0
    ) -> None:
        for name, value in {"top_k": top_k, "concurrency": concurrency}.items():
            if value < 1:
                raise ParameterError(f"ClaimRetriever has {name}={value}", "give 1 or more")
        self.dense = dense
        self.sparse = sparse
        self.top_k = top_k
        self.concurrency = concurrency
        self.timeout_s = timeout_s
        self._legs = (Guard(dense, "dense", timeout_s), Guard(sparse, "sparse", timeout_s))

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds."""
        legs = {name: component_to_dict(getattr(self, name), name) for name in ("dense", "sparse")}
        return default_to_dict(self, **legs, top_k=self.top_k, concurrency=self.concurrency, timeout_s=self.timeout_s)

    def warm_up(self) -> None:
        """Warm the legs up."""
        self._on_legs("warm_up")

    def close(self) -> None:
        """Release what the legs hold."""
        self._on_legs("close")

    @component.output_types(passages=list[list[Document]], legs=list[LegReport], degraded=list[dict[str, Any]])
    def run(
        self,
        claims: list[str],
        collection: str | None = None,
        filters: dict[str, Any] | None = None,
        legs: list[str] | None = None,
    ) -> dict[str, Any]:
        """Search.

        :param claims: one sentence each.
        :param collection: name of the collection; the only one, or `default`, if None.
        :param filters: a Haystack metadata filter.
        :param legs: legs that the caller wants, None for both.
        :returns: for each claim, in the same order, `passages` (the legs' best by turns, each once, with `ranks` and
            `scores` of both legs in `meta`); `legs`: the reports on the claim with the fewest hits; `degraded`.
        :raises RunCancelledError: when the run is cancelled, before the next claim.
        :raises RetrievalError: when for some claim no leg could answer and at least one of them has failed.
        """
        check_legs(legs)

        def search(claim: str) -> list[dict[str, Any]]:
            stop_if_cancelled()
            words = looked_at(claim)
            terms = without_stopwords(words)
            question = Question(words, words, collection, filters, legs, terms=terms)
            return [leg.run(question=question) for leg in self._legs]

        contexts = [contextvars.copy_context() for _ in claims]
        with ThreadPoolExecutor(self.concurrency, thread_name_prefix="claims") as pool:
            runs = list(pool.map(lambda context, claim: context.run(search, claim), contexts, claims))
        degraded: list[DegradedEntry] = []
        reports: list[list[LegReport]] = []
        for found in runs:
            failures = [entry for leg in found for entry in leg["degraded"]]
            reports.append([leg.report() for leg in whole_legs(leg["leg"] for leg in found)])
            degraded += [entry for entry in failures if entry not in degraded]
        return {
            "passages": [self._joined(dense["documents"], sparse["documents"]) for dense, sparse in runs],
            "legs": min(reports, key=lambda of: sum(leg.hits for leg in of), default=[]),
            "degraded": degraded,
        }

    def _on_legs(self, action: str) -> None:
        for leg in self._legs:
            getattr(leg, action)()

    def _joined(self, dense: Sequence[Document], sparse: Sequence[Document]) -> list[Document]:
        found: dict[str, Document] = {}
        for rank in range(self.top_k):
            for name, leg in (("dense", dense), ("sparse", sparse)):
                if rank < len(leg):
                    known = found.get(leg[rank].id, leg[rank])
                    found[known.id] = _with_rank(known, name, rank + 1, leg[rank].score)
        return list(found.values())


def _with_rank(document: Document, leg: str, rank: int, score: float | None) -> Document:
    ranks = {**document.meta.get("ranks", {}), leg: rank}
    scores = {**document.meta.get("scores", {}), leg: float(score or 0.0)}
    return replace(document, meta={**document.meta, "ranks": ranks, "scores": scores})
