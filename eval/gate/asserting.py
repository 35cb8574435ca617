"""Assert verdicts: through DeepEval where it is installed, by pytest alone where it is not; the same ones."""

from collections.abc import Callable
from importlib.metadata import version

from khub.components.errors import MissingLibraryError
from khub.eval.evaluators.deepeval_evaluator import DeepEvalEvaluator
from khub.eval.gate.thresholds import Bound
from khub.eval.gate.verdicts import Verdict

Assert = Callable[[Bound, Callable[[], Verdict]], None]


def best_assert() -> tuple[Assert, str]:
    """Return what asserts a verdict, and what it is called."""
    try:
        DeepEvalEvaluator.load()  # quiet, offline, with its files in the hub's folder
    except MissingLibraryError:
        return plain_assert, "pytest alone (deepeval is not installed)"
    from khub.eval.gate.deepeval_metric import deepeval_assert

    return deepeval_assert, f"DeepEval {version('deepeval')}"


def plain_assert(bound: Bound, judge: Callable[[], Verdict]) -> None:
    """Fail where the metric does not hold, naming it.

    :param bound: what it has to reach.
    :param judge: judges it.
    """
    del bound  # the verdict says it
    verdict = judge()
    assert verdict.passed, verdict.text
