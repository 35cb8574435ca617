"""Latency, degradation and failures."""

import pytest

from khub.eval.evaluators.operation_evaluator import OperationEvaluator

pytestmark = pytest.mark.unit


def test_every_case_is_measured(case, place, answer, cite, broken):
    slow = answer(cite("heron"), seconds=2.5, degraded=[{"stage": "dense", "reason": "no answer in 5 s"}])
    result = OperationEvaluator().run(cases=[case(), case(place()), case(place())], answers=[answer(), slow, broken])
    assert result["scores"] == {
        "latency_ms": [250, 2500, None],
        "degraded": [0, 1, None],
        "failed": [0, 0, 1],
    }
    assert [entry["metric"] for entry in result["failed"]] == ["latency_ms", "degraded"]
