from dataclasses import replace

import pytest

from khub.eval.gate.thresholds import Bound
from khub.eval.gate.verdicts import verdict, verdicts
from khub.eval.run.scoring import Scores
from tests.eval.gate.conftest import make_cases

pytestmark = pytest.mark.unit

HIT = Bound("hit@5", "at_least", 0.5)
WRONG = Bound("abstained_wrong", "at_most", 0.5)


def shares(ones, count=100):
    return [1.0] * ones + [0.0] * (count - ones)


def reasons(measured, thresholds, baseline, bound):
    return verdict(measured, thresholds, baseline, bound).reasons


def test_a_metric_that_reaches_its_bound_holds(measured, baseline, thresholds):
    for name, bound in (("hit@5", HIT), ("abstained_wrong", WRONG)):
        now = {name: shares(50)}
        found = verdict(measured(now), thresholds, baseline(now), bound)
        assert found.passed
        assert found.text == f"{name} holds"
        assert found.figure["mean"] == 0.5


def test_a_metric_outside_its_bound_fails_and_is_named(measured, baseline, thresholds):
    hits, wrong = {"hit@5": shares(49)}, {"abstained_wrong": shares(51)}
    low = verdict(measured(hits), thresholds, baseline(hits), HIT)
    high = verdict(measured(wrong), thresholds, baseline(wrong), WRONG)
    assert low.text == "hit@5 is 0.490, to be ≥ 0.500"
    assert high.text == "abstained_wrong is 0.510, to be ≤ 0.500"
    assert not low.passed


@pytest.mark.parametrize(("before", "now"), [(90, 80), (70, 60)])
def test_a_clear_fall_against_the_baseline_fails(measured, baseline, thresholds, before, now):
    [reason] = reasons(measured({"hit@5": shares(now)}), thresholds, baseline({"hit@5": shares(before)}), HIT)
    assert reason.startswith(f"got worse than the baseline: {before / 100:.3f} before, {now / 100:.3f} now (p = 0.00")


def test_a_rise_of_what_should_be_low_is_a_fall(measured, baseline, thresholds):
    low, high = {"abstained_wrong": shares(10)}, {"abstained_wrong": shares(20)}
    assert "got worse" in reasons(measured(high), thresholds, baseline(low), WRONG)[0]
    assert not reasons(measured(low), thresholds, baseline(high), WRONG)


def test_a_rise_holds(measured, baseline, thresholds):
    assert not reasons(measured({"hit@5": shares(90)}), thresholds, baseline({"hit@5": shares(70)}), HIT)


def test_a_fall_that_may_be_chance_holds(measured, baseline, thresholds):
    # three questions of a hundred: 3 points, p = 0.25
    before, now = baseline({"hit@5": shares(90)}), measured({"hit@5": shares(87)})
    assert not reasons(now, thresholds, before, HIT)
    assert reasons(now, replace(thresholds, p_below=0.3), before, HIT)


def test_a_small_fall_holds_however_certain_it_is(measured, baseline, thresholds):
    before, now = baseline({"hit@5": [1.0] * 100}), measured({"hit@5": [0.99] * 100})
    assert not reasons(now, thresholds, before, HIT)
    assert reasons(now, replace(thresholds, largest_fall=0.005), before, HIT)


def test_nothing_measured_fails(measured, baseline, thresholds):
    nothing = {"hit@5": [None, None], "mrr@10": [1.0, 1.0]}
    assert reasons(measured(nothing), thresholds, baseline(nothing), HIT) == ("could not be measured (0/2 values)",)


def test_a_metric_that_no_evaluator_gives_any_more_fails(measured, baseline, thresholds):
    before = baseline({"hit@5": [1.0, 1.0]})
    assert "could not be measured" in reasons(measured({"mrr@10": [1.0, 1.0]}), thresholds, before, HIT)[0]


def test_questions_whose_places_have_changed_are_not_compared(measured, baseline, thresholds):
    before = baseline({"hit@5": shares(90)})
    fallen = measured({"hit@5": shares(70)})
    changed = [replace(case, relevant=(replace(case.relevant[0], grade=1),)) for case in fallen.cases]
    assert reasons(fallen, thresholds, before, HIT)
    found = verdict(replace(fallen, cases=changed), thresholds, before, HIT)
    assert found.change is None
    assert found.passed


def test_judged_metrics_count_only_where_a_judge_was_asked(measured, baseline, thresholds):
    scores = {"hit@5": [1.0] * 10, "abstained_wrong": [0.0] * 10, "deepeval_faithfulness": [0.8] * 10}
    before = baseline({"hit@5": [1.0] * 10})
    without = verdicts(measured(scores), thresholds, before)
    judged = verdicts(measured(scores, judge="more/evaluate_judged"), thresholds, before)
    assert [found.name for found in without] == ["hit@5", "abstained_wrong"]
    assert [found.name for found in judged if not found.passed] == ["deepeval_faithfulness"]


@pytest.mark.parametrize(("missing", "fails"), [(1, False), (2, True)])
def test_a_judge_that_leaves_too_much_out_has_not_judged(measured, baseline, thresholds, missing, fails):
    name = "deepeval_faithfulness"
    failed = [{"metric": name, "case_id": f"c{number}", "reason": "429"} for number in range(missing)]
    scores = {name: [None] * missing + [1.0] * (10 - missing)}
    found = measured(
        scores, failed=[*failed, {"metric": "x", "case_id": "c9", "reason": "y"}], judge="more/evaluate_judged"
    )
    bound = Bound(name, "at_least", 0.9)
    assert verdict(found, thresholds, baseline({"hit@5": [1.0] * 10}), bound).passed is not fails


DENSE_EN = Bound("hit@5", "at_least", 0.5, "dense", "en")
DENSE_ZH = Bound("hit@5", "at_least", 0.5, "dense", "zh")


@pytest.fixture
def both_languages():
    """40 questions, every second one in Chinese."""
    return [replace(case, language=("en", "zh")[number % 2]) for number, case in enumerate(make_cases(40))]


def by_dense(values, failed=()):
    return {"dense": Scores({"hit@5": values}, list(failed))}


def test_a_leg_is_held_to_its_bound_in_each_language(measured, baseline, thresholds, both_languages):
    now = measured({"hit@5": [1.0] * 40}, both_languages, legs=by_dense([1.0, 0.0] * 20))
    english, chinese = (verdict(now, thresholds, baseline({}, both_languages), one) for one in (DENSE_EN, DENSE_ZH))
    assert english.passed
    assert chinese.text == "dense.zh.hit@5 is 0.000, to be ≥ 0.500"
    assert (english.figure["valid"], chinese.figure["total"]) == (20, 20)


def test_a_leg_is_compared_with_its_own_past_in_that_language(measured, baseline, thresholds, both_languages):
    before = baseline({"hit@5": [0.0] * 40, "dense.hit@5": [1.0] * 40}, both_languages)
    now = measured({"hit@5": [1.0] * 40}, both_languages, legs=by_dense([1.0] * 20 + [1.0, 0.0] * 10))
    english, chinese = (verdict(now, thresholds, before, one) for one in (DENSE_EN, DENSE_ZH))
    assert english.passed
    assert (english.change["pairs"], english.change["p"]) == (20, 1)
    assert chinese.text.startswith("dense.zh.hit@5 got worse than the baseline: 1.000 before, 0.500 now (p = 0.00")


def test_what_no_document_answers_is_no_question_to_a_leg(measured, baseline, thresholds):
    cases = make_cases(3)
    cases[2] = replace(cases[2], answerable=False, relevant=(), kind="unanswerable")
    found = verdict(
        measured({"hit@5": [1.0, 1.0, None]}, cases, legs=by_dense([1.0, 1.0, None])),
        thresholds, baseline({}, cases), DENSE_EN,
    )  # fmt: skip
    assert (found.passed, found.figure["valid"], found.figure["total"]) == (True, 2, 2)


def test_questions_that_fail_by_one_leg_alone_fail_it(measured, baseline, thresholds, both_languages):
    failed = [{"metric": "hit@5", "case_id": "c1", "reason": "no leg could answer"}]
    legs = by_dense([1.0, None, *[1.0] * 38], failed)
    now = measured({"hit@5": [1.0] * 40}, both_languages, legs=legs)
    before = baseline({}, both_languages)
    assert verdict(now, thresholds, before, DENSE_EN).passed
    found = verdict(now, thresholds, before, DENSE_ZH)
    assert found.text == "dense.zh.hit@5 lacks 1 questions, which failed (no leg could answer)"


def test_a_leg_that_was_not_measured_fails(measured, baseline, thresholds):
    now = measured({"hit@5": [1.0] * 3})
    found = verdict(now, thresholds, baseline({}, now.cases), DENSE_EN)
    assert found.text == "dense.en.hit@5 could not be measured (0/3 values)"
