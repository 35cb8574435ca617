"""Judge many answers at the same time, so that what goes wrong costs its own value and no other."""

import contextvars
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from haystack import logging

from khub.components.errors import KhubError
from khub.eval.evaluators.judge import REASON_CHARACTERS, JudgeUnreachableError
from khub.eval.evaluators.measurement import Answer, Case, citations_of, measure_cases

logger = logging.getLogger(__name__)

GIVE_UP_AFTER = 5
"""So many calls in a row without a reply, and the judge is not asked any more: to wait for it would take hours."""

Measure = Callable[[str, Case, Answer], float]


def judge_cases(
    cases: Sequence[Case],
    answers: Sequence[Answer],
    columns: Sequence[str],
    measure: Measure,
    concurrency: int,
) -> dict[str, Any]:
    """Judge every answer by every metric that applies to its case.

    Where nothing is cited, the metrics of citations are 0: that is as good as nothing found. An answer that abstains
    says nothing that the others could judge. No judge is needed for either, so neither depends on one.

    :param cases: the questions, each with an id of its own.
    :param answers: in the same order.
    :param columns: names of metrics; those with `context` in their name compare with the answer that the golden set
        gives, and do not apply where it gives none.
    :param measure: the value of one metric of an answer that does not abstain. What it raises is the reason why there
        is none.
    :param concurrency: values that are measured at the same time.
    :returns: `scores` and `failed`, as `measure_cases` does.
    :raises EvaluationError: when cases and answers do not belong together.
    """
    jobs: list[tuple[str, Case, Answer]] = []

    def applies(case: Case) -> list[str]:
        return [column for column in columns if "context" not in column or (case["answerable"] and case["answer"])]

    def put_down(case: Case, answer: Answer) -> dict[str, float | None]:
        cited = citations_of(answer, 1)
        values: dict[str, float | None] = {c: 0.0 for c in applies(case) if "context" in c and not cited}
        if not answer["abstained"]:
            jobs.extend((column, case, answer) for column in applies(case) if column not in values)
        return values

    result = measure_cases(cases, answers, columns, applies, put_down)
    rows = {case["id"]: row for row, case in enumerate(cases)}
    patience = _Patience()
    with ThreadPoolExecutor(concurrency, thread_name_prefix="judge") as pool:
        contexts = [contextvars.copy_context() for _ in jobs]
        found = list(pool.map(lambda here, job: here.run(_value_or_reason, measure, job, patience), contexts, jobs))
    for (column, case, _), value in zip(jobs, found, strict=True):
        if isinstance(value, str):
            result["failed"].append({"metric": column, "case_id": case["id"], "reason": value})
        else:
            result["scores"][column][rows[case["id"]]] = value
    return result


class _Patience:
    """Counts the calls in a row that had no reply."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._silent = 0
        self._last = ""

    def over(self) -> str | None:
        """Return why the judge is not asked any more; None while it is."""
        with self._lock:
            if self._silent < GIVE_UP_AFTER:
                return None
            return f"not asked any more after {GIVE_UP_AFTER} calls without a reply: {self._last}"[:REASON_CHARACTERS]

    def heard(self) -> None:
        """Note a reply; one that comes after the judge was given up does not bring it back."""
        with self._lock:
            if self._silent < GIVE_UP_AFTER:
                self._silent = 0

    def not_heard(self, reason: str) -> None:
        """Note a call without a reply."""
        with self._lock:
            self._silent += 1
            self._last = reason


def _value_or_reason(measure: Measure, job: tuple[str, Case, Answer], patience: _Patience) -> float | str:
    """Return the value, or the reason why there is none."""
    given_up = patience.over()
    if given_up:
        return given_up
    try:
        value = measure(*job)
    except JudgeUnreachableError as error:
        patience.not_heard(error.message)
        return str(error)
    except KhubError as error:
        patience.heard()
        return str(error)
    except Exception as error:  # a fault of the library that judges costs this value only
        logger.warning("{column} of {case} failed", column=job[0], case=job[1]["id"], exc_info=error)
        return " ".join(f"{type(error).__name__}: {error}".split())[:REASON_CHARACTERS]
    patience.heard()
    return value
