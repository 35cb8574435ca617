"""Columns side by side."""

import itertools

import pytest

from khub.eval.evaluators.score_table import ScoreTable
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit


def entry(metric, case_id="c1"):
    return {"metric": metric, "case_id": case_id, "reason": "gone"}


def test_the_order_of_the_evaluators_does_not_matter():
    scores = [{"b": [1.0, None], "d": [0.0, 0.0]}, {"a": [None, None]}, {"c": [0.5, 1.0]}]
    failed = [[entry("b"), entry("b", "c2"), entry("d")], [entry("a")], []]
    tables = [
        ScoreTable().run(scores=[scores[i] for i in order], failed=[failed[i] for i in order])
        for order in itertools.permutations(range(3))
    ]
    assert all(table == tables[0] and list(table["scores"]) == list("abcd") for table in tables)
    assert tables[0]["failed"] == [entry("a"), entry("b"), entry("b", "c2"), entry("d")]


def test_without_evaluators_the_table_is_empty():
    assert ScoreTable().run(scores=[()], failed=[()]) == {"scores": {}, "failed": []}
    assert ScoreTable().run() == {"scores": {}, "failed": []}


def test_the_same_metric_twice_is_a_mistake_in_the_graph():
    with raises_code("graph_invalid", "'hit@1'"):
        ScoreTable().run(scores=[{"hit@1": [1.0]}, {"hit@1": [1.0]}])


def test_columns_of_different_length_are_refused():
    with raises_code("evaluation_failed", "a 2, b 1"):
        ScoreTable().run(scores=[{"b": [1.0]}, {"a": [1.0, 0.0]}])
