"""Differences between a variant and the graph as it stands."""

from pathlib import Path

import pytest

from khub.eval.ablate.differences import difference, mean_difference
from khub.eval.ablate.tasks import Task

pytestmark = pytest.mark.unit


def task(name, about=None):
    return Task(name, about or name, "ndcg@10", Path(), {}, 10, lambda key, ranked: 0.0)


def values(*figures):
    return {f"q{number}": figure for number, figure in enumerate(figures)}


def test_a_question_that_failed_in_either_is_left_out():
    found = difference(values(1.0, None, 0.5), values(0.5, 1.0, None))
    assert (found["mean"], found["valid"], found["total"]) == (0.5, 1, 3)


def test_every_set_counts_alike_in_the_mean():
    own = {"a": values(1.0), "b": values(0.0, 0.0, 0.0, 0.0)}
    base = {"a": values(0.0), "b": values(0.0, 0.0, 0.0, 0.0)}
    assert mean_difference([task("a"), task("b")], own, base)["mean"] == 0.5


def test_two_ways_of_asking_are_one_question_in_the_test():
    base, own = {name: values(*[0.0] * 5) for name in "ab"}, {name: values(*[1.0] * 5) for name in "ab"}
    together = mean_difference([task("a", "same"), task("b", "same")], own, base)
    apart = mean_difference([task("a"), task("b")], own, base)
    assert (together["p"], apart["p"]) == (2 / 2**5, 2 / 2**10)


def test_a_set_that_was_not_measured_has_no_part_in_the_mean():
    base = {"a": values(0.0), "b": values(0.0)}
    found = mean_difference([task("a"), task("b")], {"a": values(1.0)}, base)
    assert (found["mean"], found["sets"]) == (1.0, 1)
