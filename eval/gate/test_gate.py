"""The gate: one test per metric of `thresholds.yaml`.

    make gate
    python -m khub.eval.gate                 # the same, in an environment that is there
    python -m khub.eval.gate FOLDER          # another gate: a folder with thresholds.yaml and baseline.json

All of them are about one measurement, which the fixture `gate` makes.
"""

import pytest

from khub.eval.gate.asserting import Assert
from khub.eval.gate.baseline import WRITE
from khub.eval.gate.conftest import Gate
from khub.eval.gate.measure import JUDGE, chosen_judge
from khub.eval.gate.thresholds import Bound


def test_metric(bound: Bound, gate: Gate, assert_holds: Assert) -> None:
    """The metric is within its bound, and no worse than in the baseline."""
    assert_holds(bound, gate.judging(bound))


@pytest.mark.skipif(chosen_judge() is None, reason=f"no judge: {JUDGE} names no graph")
def test_judged_metric(judged_bound: Bound, gate: Gate, assert_holds: Assert) -> None:
    """The same for a metric that a language model judges; only where one is asked for on purpose."""
    assert_holds(judged_bound, gate.judging(judged_bound))


def test_baseline(gate: Gate) -> None:
    """The baseline is of these questions: a set cannot lose its hard ones unseen."""
    problems = "; ".join(gate.baseline.problems(gate.measured.cases, gate.thresholds))
    assert not problems, f"baseline: {problems}. If that is meant: {WRITE}, and commit it"
