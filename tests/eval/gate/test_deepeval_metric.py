"""DeepEval's own assertion on our metrics; where DeepEval is not installed the gate asserts them by pytest alone."""

import pytest

from khub.components.errors import MissingLibraryError
from khub.eval.gate import asserting
from khub.eval.gate.thresholds import Bound
from khub.eval.gate.verdicts import verdict

pytestmark = pytest.mark.unit

HIT = Bound("hit@5", "at_least", 0.5)
WRONG = Bound("abstained_wrong", "at_most", 0.5)


@pytest.fixture(params=["plain", "deepeval"])
def assert_holds(request):
    if request.param == "plain":
        return asserting.plain_assert
    pytest.importorskip("deepeval", reason="DeepEval is not installed: pip install 'knowledge-hub[eval]'")
    found, name = asserting.best_assert()
    assert name.startswith("DeepEval")
    return found


@pytest.mark.parametrize("bound", [HIT, WRONG], ids=["at_least", "at_most"])
def test_both_let_pass_what_holds(assert_holds, measured, baseline, thresholds, bound):
    scores = {bound.metric: [1.0, 0.0]}
    assert_holds(bound, lambda: verdict(measured(scores), thresholds, baseline(scores), bound))


@pytest.mark.parametrize("bound", [HIT, WRONG], ids=["at_least", "at_most"])
def test_both_name_the_metric_that_fails_and_why(assert_holds, measured, baseline, thresholds, bound):
    scores = {bound.metric: [float(bound is WRONG)] * 2}
    with pytest.raises(AssertionError, match=rf"{bound.metric}.* is [01]\.000, to be"):
        assert_holds(bound, lambda: verdict(measured(scores), thresholds, baseline(scores), bound))


def test_both_fail_where_nothing_was_measured(assert_holds, measured, baseline, thresholds):
    scores = {"mrr@10": [1.0]}
    with pytest.raises(AssertionError, match=r"hit@5.*could not be measured"):
        assert_holds(HIT, lambda: verdict(measured(scores), thresholds, baseline(scores), HIT))


def test_without_deepeval_pytest_asserts(monkeypatch):
    def missing():
        raise MissingLibraryError("no deepeval", "install it")

    monkeypatch.setattr(asserting.DeepEvalEvaluator, "load", missing)
    assert asserting.best_assert() == (asserting.plain_assert, "pytest alone (deepeval is not installed)")
