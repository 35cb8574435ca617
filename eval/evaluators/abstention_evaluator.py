"""Measure whether answers abstain where they should, and only there."""

from typing import Any

from haystack import component

from khub.eval.evaluators.measurement import Answer, Case, measure_cases

RIGHT, WRONG = "abstained_right", "abstained_wrong"


@component
class AbstentionEvaluator:
    """Share of unanswerable questions that get no answer (to be high), and of answerable ones (to be low)."""

    @component.output_types(scores=dict[str, list[float | None]], failed=list[dict[str, str]])
    def run(self, cases: list[dict[str, Any]], answers: list[dict[str, Any]]) -> dict[str, Any]:
        """Measure every case by the one of the two metrics that applies to it.

        :param cases: questions, `answerable` or not; see `khub.eval.cases`.
        :param answers: in the same order, each with `case_id` and `abstained`.
        :returns: `scores`: `abstained_right` (of unanswerable cases) and `abstained_wrong` (of answerable ones) -> one
            value per case: 1 if the answer abstains, else 0; None where it does not apply, and for failed questions.
            `failed`: `{"metric", "case_id", "reason"}` for these last.
        :raises EvaluationError: when cases and answers do not belong together.
        """
        return measure_cases(cases, answers, [RIGHT, WRONG], _applies, _measure)


def _applies(case: Case) -> list[str]:
    return [WRONG if case["answerable"] else RIGHT]


def _measure(case: Case, answer: Answer) -> dict[str, float]:
    return dict.fromkeys(_applies(case), float(answer["abstained"]))
