"""Abstention, right and wrong."""

import pytest

from khub.eval.evaluators.abstention_evaluator import AbstentionEvaluator

pytestmark = pytest.mark.unit


def test_each_case_counts_for_one_of_the_two(case, place, answer, cite):
    cases = [case(), case(), case(place()), case(place())]
    answers = [answer(), answer(cite("other")), answer(), answer(cite("heron"))]
    result = AbstentionEvaluator().run(cases=cases, answers=answers)
    assert result == {
        "scores": {"abstained_right": [1, 0, None, None], "abstained_wrong": [None, None, 1, 0]},
        "failed": [],
    }
