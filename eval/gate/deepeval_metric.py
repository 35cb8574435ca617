"""The gate's deterministic metrics as DeepEval knows metrics. Only `asserting` imports this, once DeepEval is quiet."""

from collections.abc import Callable
from typing import Any

from deepeval.evaluate import assert_test
from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase

from khub.eval.gate.thresholds import Bound
from khub.eval.gate.verdicts import Verdict


class GoldenSetMetric(BaseMetric):
    """One metric over all questions of the golden sets, computed and not judged.

    :param bound: what it has to reach; its limit is the threshold.
    :param judge: gives the verdict on it.
    """

    async_mode = False

    def __init__(self, bound: Bound, judge: Callable[[], Verdict]) -> None:
        self.threshold = bound.limit
        self.name = bound.name
        self.judge = judge

    def measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float | None:  # type: ignore[override]
        """Return the mean, None where there is none; why it fails is the reason."""
        del test_case  # it stands for the whole set
        verdict = self.judge()
        self.score, self.reason, self.success = verdict.figure["mean"], verdict.text, verdict.passed
        return self.score

    async def a_measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float | None:  # type: ignore[override]
        """Do what `measure` does."""
        return self.measure(test_case)

    def is_successful(self) -> bool:
        """Say whether the metric holds; its bound may be an upper one."""
        return bool(self.success)

    @property
    def __name__(self) -> str:
        """What DeepEval calls it."""
        return self.name


def deepeval_assert(bound: Bound, judge: Callable[[], Verdict]) -> None:
    """Fail where the metric does not hold, naming it, as `khub.eval.gate.asserting.plain_assert` does."""
    case = LLMTestCase(input="all questions of the golden sets")
    metrics: list[BaseMetric] = [GoldenSetMetric(bound, judge)]
    assert_test(case, metrics, run_async=False)
