"""Measure whether citations name the page on which their text stands."""

from typing import Any

from haystack import component

from khub.components.errors import ParameterError
from khub.eval.evaluators.matching import matches, normalised, places_of
from khub.eval.evaluators.measurement import Answer, Case, citations_of, measure_cases
from khub.eval.place_row import PlaceRow

METRIC = "page_accuracy"


@component
class PageEvaluator:
    """Page accuracy of the citations: a user who opens the document at the cited page must find the text there."""

    def __init__(self, depth: int = 5) -> None:
        """Keep the bound.

        :param depth: the citation that is looked at must be among the first so many.
        :raises GraphError: when it is below 1.
        """
        if depth < 1:
            raise ParameterError(f"PageEvaluator has depth={depth}", "give a whole number, 1 or more")
        self.depth = depth

    @component.output_types(scores=dict[str, list[float | None]], failed=list[dict[str, str]])
    def run(self, cases: list[dict[str, Any]], answers: list[dict[str, Any]]) -> dict[str, Any]:
        """Measure the first citation of each case that shows a place of known page.

        Places without evidence are left out: they are known by their page alone, which would always be right.

        :param cases: questions with the places that answer them; see `khub.eval.cases`.
        :param answers: in the same order, each with `case_id` and `citations` that carry `relative_source`.
        :returns: `scores`: `page_accuracy` -> one value per case: 1 if that citation's page is the place's (one of
            them, if it shows several), else 0; None where no such place is shown, and for failed questions. `failed`:
            `{"metric", "case_id", "reason"}` for these last.
        :raises EvaluationError: when cases and answers do not belong together.
        """
        return measure_cases(cases, answers, [METRIC], _applies, self._measure)

    def _measure(self, case: Case, answer: Answer) -> dict[str, float | None]:
        places = _places_with_page(case)
        for citation in citations_of(answer, self.depth):
            pages = [place["page"] for place in places if matches(citation, place)]
            if pages:
                return {METRIC: float(citation.get("page") in pages)}
        return {METRIC: None}


def _applies(case: Case) -> list[str]:
    return [METRIC] if case["answerable"] and _places_with_page(case) else []


def _places_with_page(case: Case) -> list[PlaceRow]:
    return [p for p in places_of(case) if p.get("page") is not None and normalised(p.get("evidence") or "")]
