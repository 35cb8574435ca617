"""What all evaluators share: cases and answers in; columns of values, and what could not be measured, out."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from khub.components.errors import EvaluationError
from khub.eval.run.kept_answer import KeptCitation

Case = dict[str, Any]
Answer = dict[str, Any]
Scores = dict[str, list[float | None]]


def measure_cases(
    cases: Sequence[Case],
    answers: Sequence[Answer],
    metrics: Sequence[str],
    applies: Callable[[Case], Collection[str]],
    measure: Callable[[Case, Answer], Mapping[str, float | None]],
) -> dict[str, Any]:
    """Measure every question whose answer came; one that failed is not counted as a bad answer but as not measured.

    :param cases: the questions; see `khub.eval.cases`.
    :param answers: in the same order, each with `case_id`; one with `error` has failed.
    :param metrics: names of the columns.
    :param applies: which of the metrics a case is measured by.
    :param measure: the values of a case and its answer; of metrics that do not apply they are left out.
    :returns: `scores`: metric -> one value per case, None where it does not apply or could not be measured; and
        `failed`: `{"metric", "case_id", "reason"}` for each that could not be measured.
    :raises EvaluationError: when cases and answers do not belong together.
    """
    _check(cases, answers)
    scores: Scores = {metric: [] for metric in metrics}
    failed: list[dict[str, str]] = []
    for case, answer in zip(cases, answers, strict=True):
        applicable = applies(case)
        values: Mapping[str, float | None] = {}
        if has_failed(answer):
            reason = str(answer["error"])
            failed += [{"metric": m, "case_id": case["id"], "reason": reason} for m in metrics if m in applicable]
        elif applicable:
            values = measure(case, answer)
        for metric in metrics:
            scores[metric].append(values.get(metric) if metric in applicable else None)
    return {"scores": scores, "failed": failed}


def has_failed(answer: Answer) -> bool:
    """Say whether the question failed, so that there is no answer."""
    return answer.get("error") is not None


def citations_of(answer: Answer, depth: int) -> list[KeptCitation]:
    """Return what the user is shown: the first `depth` citations; none when the answer abstains."""
    return [] if answer["abstained"] else answer["citations"][:depth]


def _check(cases: Sequence[Case], answers: Sequence[Answer]) -> None:
    if len(cases) != len(answers):
        raise EvaluationError(f"there are {len(cases)} cases and {len(answers)} answers", "give one answer per case")
    for case, answer in zip(cases, answers, strict=True):
        if case["id"] != answer.get("case_id"):
            raise EvaluationError(
                f"the answer to case {case['id']!r} is marked as that of {answer.get('case_id')!r}",
                "give the answers in the order of the cases",
            )
