"""Judge claims by the passages that were found for them."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from haystack import Document, component

from khub.components.answer import Citation, LegReport
from khub.components.answers.citation import citation
from khub.components.answers.leg_reports import joined_failures
from khub.components.cancellation import stop_if_cancelled
from khub.components.errors import ParameterError
from khub.components.verification import ComparedFacts, Difference, JudgedClaim, Verification
from khub.components.verify.bounds import looked_at
from khub.components.verify.closeness import ClaimComparison
from khub.components.verify.statements import statements_of
from khub.components.verify.verdict import VERDICTS, Judgement, judge, not_wholly_judged


@component
class ClaimJudge:
    """Compare each claim with the closest sentences: it agrees, differs, or nothing that could be judged was found.

    Closest are the statements (sentences, table rows) that share most words, token vectors and sentence vectors with
    the claim. Compared are numbers with their units, dates, codes, names and plain negation
    (`khub.components.verify.comparison`); what that cannot judge is `not_found`, with the closest passages. So is a
    claim of more than 500 characters or 50 figures, of which the beginning alone is searched for.

    :param model: embeds sentences: name of a shipped model, or path of a model folder.
    :param fallback: the model to use where onnxruntime, which the model needs, cannot be imported; None: an error.
    :param interaction_model: a static model, whose token vectors are compared.
    :param top_k: passages cited for a claim, 1 or more.
    :raises GraphError: when `top_k` is below 1.
    """

    def __init__(
        self,
        model: str = "khub-base",
        fallback: str | None = "khub-fast",
        interaction_model: str = "khub-fast",
        top_k: int = 2,
    ) -> None:
        if top_k < 1:
            raise ParameterError(f"ClaimJudge has top_k={top_k}", "give 1 or more")
        self.model = model
        self.fallback = fallback
        self.interaction_model = interaction_model
        self.top_k = top_k
        self._comparison = ClaimComparison(model, fallback, interaction_model)

    def warm_up(self) -> None:
        """Load the models.

        :raises KhubError: when there is no such model, or one of its files is missing or damaged.
        """
        self._comparison.warm_up()

    @component.output_types(verification=Verification)
    def run(
        self,
        claims: list[str],
        passages: list[list[Document]],
        legs: list[LegReport] | None = None,
        collection: str | None = None,
        degraded: list[Any] | None = None,
    ) -> dict[str, Verification]:
        """Judge each claim.

        :param claims: one sentence each.
        :param passages: for each claim those that may speak about it.
        :param legs: the legs' reports.
        :param collection: name of the collection.
        :param degraded: `{"stage", "reason"}` of the search.
        :returns: `verification`.
        :raises RunCancelledError: when the run is cancelled, before the next claim.
        """
        judged = []
        for claim, found in zip(claims, passages, strict=True):
            stop_if_cancelled()
            statements = [statement for passage in found for statement in statements_of(passage)]
            part = looked_at(claim)
            verdict = judge(part, self._comparison.nearest(part, statements))
            if part != claim:
                verdict = not_wholly_judged(verdict, part)
            best = verdict.judgements[0] if verdict.judgements else None
            judged.append(
                JudgedClaim(
                    claim,
                    verdict.verdict,
                    round(best.closeness.about, 3) if best else 0.0,
                    verdict.reason,
                    self._citations(verdict.judgements),
                    _facts(best),
                    "rules",
                )
            )
        failures = joined_failures([degraded])
        return {"verification": Verification(judged, summary(judged), collection or "", legs or [], failures)}

    def _citations(self, judgements: list[Judgement]) -> list[Citation]:
        """Return the passages of the statements, each once, with the closest statement."""
        closest: dict[str, Judgement] = {}
        for judgement in judgements:
            closest.setdefault(judgement.closeness.statement.passage.id, judgement)
        statements = [judgement.closeness.statement for judgement in closest.values()][: self.top_k]
        return [
            citation(rank, statement.passage, statement.text, {}) for rank, statement in enumerate(statements, start=1)
        ]


def summary(judged: Sequence[JudgedClaim]) -> dict[str, int]:
    """Return how many claims have each verdict."""
    counts = Counter[str](entry.verdict for entry in judged)
    return {verdict: counts[verdict] for verdict in VERDICTS}


def _facts(best: Judgement | None) -> ComparedFacts:
    if best is None:
        return ComparedFacts()
    found = best.comparison
    return ComparedFacts(
        [fact.text for fact in found.matched],
        [Difference(fact.text, other) for fact, other in found.differs],
        [fact.text for fact in found.missing],
    )
