"""Measure how well the citations show the places that are known to answer the question."""

from typing import Any

from haystack import Document, component
from haystack.components.evaluators import DocumentMRREvaluator, DocumentNDCGEvaluator, DocumentRecallEvaluator

from khub.components.errors import EvaluationError, ParameterError
from khub.eval.evaluators.matching import found_places, places_of
from khub.eval.evaluators.measurement import Answer, Case, citations_of, measure_cases
from khub.eval.place_row import PlaceRow

HITS_AT = [1, 5, 10]


@component
class RetrievalEvaluator:
    """Hit rate, recall, reciprocal rank and nDCG of the citations, for each answerable case.

    What is retrieved is a place (see `khub.eval.evaluators.matching`); it counts once, for the first citation
    that shows it. All figures agree with trec_eval's `success`, `recall`, `recip_rank` and `ndcg_cut`, on the first
    `depth` (for hits: `k`) citations and with every grade above 0 as relevant.

    Haystack's evaluators compute them. One thing is done around them: the ideal order of nDCG is cut at `depth`
    too, as trec_eval does and `DocumentNDCGEvaluator` does not, which would keep nDCG@10 below 1 for a perfect list
    wherever a question has more than ten places.

    A citation that shows several new places fills one rank. Recall counts all of them; for nDCG they are one place
    with the highest of their grades, in the ideal order too, so that a perfect list has 1 however the documents were
    cut into chunks.
    """

    def __init__(self, k: list[int] | None = None, depth: int = 10) -> None:
        """Keep the cut-offs.

        :param k: for each, `hit@k` is given: 1 if a place is shown by the first k citations, else 0; by default 1, 5
            and 10.
        :param depth: citations that `recall@depth`, `mrr@depth` and `ndcg@depth` (from 0 to 1) look at.
        :raises GraphError: when a cut-off is below 1, or one stands twice.
        """
        for name, cutoffs in (("k", HITS_AT if k is None else k), ("depth", [depth])):
            if any(cutoff < 1 for cutoff in cutoffs) or len(set(cutoffs)) < len(cutoffs):
                value = k if name == "k" else depth
                raise ParameterError(
                    f"RetrievalEvaluator has {name}={value}", "give different whole numbers, 1 or more"
                )
        self.k = k
        self.depth = depth
        self._hits_at = HITS_AT if k is None else k
        self._metrics = [
            *(f"hit@{cutoff}" for cutoff in self._hits_at),
            *(f"{m}@{depth}" for m in ("recall", "mrr", "ndcg")),
        ]
        self._hit = DocumentRecallEvaluator(mode="single_hit", document_comparison_field="id")
        self._recall = DocumentRecallEvaluator(mode="multi_hit", document_comparison_field="id")
        self._mrr = DocumentMRREvaluator(document_comparison_field="id")
        self._ndcg = DocumentNDCGEvaluator(document_comparison_field="id")

    @component.output_types(scores=dict[str, list[float | None]], failed=list[dict[str, str]])
    def run(self, cases: list[dict[str, Any]], answers: list[dict[str, Any]]) -> dict[str, Any]:
        """Measure the citations of every answerable case.

        :param cases: questions with the places that answer them; see `khub.eval.cases`.
        :param answers: in the same order, each with `case_id` and `citations` that carry `relative_source`.
        :returns: `scores`: metric -> one value per case, None for unanswerable cases and failed questions; `failed`:
            `{"metric", "case_id", "reason"}` for these last. An answer that abstains shows nothing: all its values
            are 0.
        :raises EvaluationError: when cases and answers do not belong together, or an answerable case names no place.
        """
        return measure_cases(cases, answers, self._metrics, self._applies, self._measure)

    def _applies(self, case: Case) -> list[str]:
        return self._metrics if case["answerable"] else []

    def _measure(self, case: Case, answer: Answer) -> dict[str, float]:
        places = places_of(case)
        if not places:
            raise EvaluationError(
                f"case {case['id']!r} is answerable and names no place", "name the source of its answer"
            )
        found = found_places(citations_of(answer, max(self.depth, *self._hits_at)), places)
        if not any(found):
            return dict.fromkeys(self._metrics, 0.0)
        ranked = [Document(id=f"place {new[0]}" if new else f"citation {rank}") for rank, new in enumerate(found)]
        within = found[: self.depth]
        every = [Document(id=f"place {number}") for number in range(len(places))]
        shown = [Document(id=f"place {number}") for new in within for number in new] or [Document(id="none")]
        values = {f"hit@{cutoff}": self._score(self._hit, every, ranked[:cutoff]) for cutoff in self._hits_at}
        values[f"recall@{self.depth}"] = self._score(self._recall, every, shown)
        values[f"mrr@{self.depth}"] = self._score(self._mrr, every, ranked[: self.depth])
        values[f"ndcg@{self.depth}"] = self._ndcg_of(_graded(within, places), ranked[: self.depth])
        return values

    def _ndcg_of(self, relevant: list[Document], ranked: list[Document]) -> float:
        ideal = sorted(relevant, key=lambda document: -(document.score or 0))[: self.depth]
        return self._ndcg.calculate_dcg(relevant, ranked) / self._ndcg.calculate_idcg(ideal)

    @staticmethod
    def _score(evaluator: Any, relevant: list[Document], ranked: list[Document]) -> float:
        found: float = evaluator.run(ground_truth_documents=[relevant], retrieved_documents=[ranked])["score"]
        return found


def _graded(found: list[list[int]], places: list[PlaceRow]) -> list[Document]:
    """Return the places with their grades; those that one citation shows are one place."""
    together = [new for new in found if new]
    shown = {number for new in together for number in new}
    alone = [[number] for number in range(len(places)) if number not in shown]
    return [
        Document(id=f"place {group[0]}", score=float(max(places[number]["grade"] for number in group)))
        for group in [*together, *alone]
    ]
