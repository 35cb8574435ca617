"""Measure how the answers came about: how fast, how degraded, and whether at all."""

from typing import Any

from haystack import component

from khub.eval.evaluators.measurement import Answer, Case, has_failed, measure_cases

MEASURED = ["latency_ms", "degraded"]


@component
class OperationEvaluator:
    """Latency of the answers, and the shares of those that are degraded and of questions that failed."""

    @component.output_types(scores=dict[str, list[float | None]], failed=list[dict[str, str]])
    def run(self, cases: list[dict[str, Any]], answers: list[dict[str, Any]]) -> dict[str, Any]:
        """Measure every case.

        :param cases: questions; see `khub.eval.cases`.
        :param answers: in the same order, each with `case_id` and either `error`, or `seconds` and `degraded`.
        :returns: `scores`: `latency_ms`, `degraded` (1 if anything in the answer is, else 0) and `failed` (1 if the
            question failed, else 0) -> one value per case; the first two are None for failed questions. `failed`:
            `{"metric", "case_id", "reason"}` for these.
        :raises EvaluationError: when cases and answers do not belong together.
        """
        result = measure_cases(cases, answers, MEASURED, lambda _: MEASURED, _measure)
        result["scores"]["failed"] = [float(has_failed(answer)) for answer in answers]
        return result


def _measure(_: Case, answer: Answer) -> dict[str, float]:
    return {"latency_ms": answer["seconds"] * 1000, "degraded": float(bool(answer["degraded"]))}
