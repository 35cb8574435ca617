import pytest

from khub.eval.gate.report import gate_report
from khub.eval.gate.verdicts import verdicts
from tests.eval.gate.conftest import make_cases

pytestmark = pytest.mark.unit


def text(measured, thresholds, baseline):
    found = verdicts(measured, thresholds, baseline)
    return gate_report(measured, thresholds, baseline, found, "DeepEval 4")


def test_a_gate_that_passes(measured, baseline, thresholds):
    scores = {"hit@5": [1.0, 0.0, 1.0], "abstained_wrong": [0.0, 0.0, 0.0]}
    report = text(measured(scores), thresholds, baseline({k: v[:2] for k, v in scores.items()}))
    assert report.startswith("## Gate: passes\n")
    assert "| hit@5 | passes | ≥ 0.500 | 0.667 (0.000–1.000) 3/3 | 0.500 | 1.0000 |" in report
    assert (
        "3 questions, 2 of them as in the baseline. Asserted by DeepEval 4. No judge: set `KHUB_GATE_JUDGE`" in report
    )
    assert "| fact |" in report


def test_a_gate_that_fails_names_the_metric_first(measured, baseline, thresholds):
    scores = {"hit@5": [1.0, 0.0, 0.0], "abstained_wrong": [0.0, 0.0, 0.0]}
    cases = make_cases(4)
    old = baseline({k: [*v, 1.0] for k, v in scores.items()}, cases)
    report = text(measured(scores, judge="mine"), thresholds, old)
    assert report.startswith("## Gate: fails on hit@5, deepeval_faithfulness, baseline\n")
    assert "- hit@5 is 0.333, to be ≥ 0.500\n" in report
    assert "- baseline: 1 of its questions are gone (c3)\n" in report
    assert "| hit@5 | FAILS |" in report
    assert "Judged by graph `mine`." in report
