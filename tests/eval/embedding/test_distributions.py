import numpy as np
import pytest

from khub.eval.embedding.distributions import auc, distributions
from khub.eval.retrieve.beir import Dataset

pytestmark = pytest.mark.unit


def dataset(gains, passages):
    return Dataset("made", {f"p{i}": "" for i in range(passages)}, dict.fromkeys(gains, ""), gains)


def test_hits_and_misses_are_told_apart():
    data = dataset({"q1": {"p0": 1.0, "p2": 1.0}, "q2": {"p1": 1.0}}, 4)
    scores = np.array([[0.9, 0.4, 0.7, 0.1], [0.3, 0.5, 0.6, 0.2]])
    found = distributions(scores, data)
    assert (found.hits.pairs, found.best_miss.pairs, found.random_miss.pairs) == (3, 2, 2)
    assert found.hits.percentiles[50] == pytest.approx(0.7)
    assert found.best_miss.percentiles[50] == pytest.approx((0.4 + 0.6) / 2)
    assert found.auc == pytest.approx((2 + 2 + 1) / 6)  # of 0.9, 0.7, 0.5 against 0.4, 0.6


def test_percentiles_and_the_threshold():
    data = dataset({f"q{i}": {"p0": 1.0} for i in range(101)}, 2)
    scores = np.column_stack([np.linspace(0, 1, 101), np.full(101, -0.5)])
    found = distributions(scores, data)
    expected = [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99]
    assert list(found.hits.percentiles) == [1, 5, 25, 50, 75, 95, 99]
    assert list(found.hits.percentiles.values()) == pytest.approx(expected)
    assert found.threshold == pytest.approx(0.05)
    assert (scores[:, 0] >= found.threshold - 1e-9).mean() == pytest.approx(0.95, abs=0.01)
    assert found.auc == 1


def test_random_misses_are_irrelevant_many_and_the_same_every_time():
    data = dataset({f"q{i}": {"p0": 1.0} for i in range(500)}, 101)
    scores = np.tile(np.concatenate([[9.0], np.linspace(0, 1, 100)]), (500, 1))
    found = distributions(scores, data)
    spread = found.random_miss.percentiles
    assert spread[99] <= 1
    assert spread[50] == pytest.approx(0.5, abs=0.1)
    assert spread[25] == pytest.approx(0.25, abs=0.1)
    assert distributions(scores, data) == found


def test_a_query_to_which_all_is_relevant_has_no_miss():
    found = distributions(np.array([[0.5, 0.4]]), dataset({"q": {"p0": 1.0, "p1": 1.0}}, 2))
    assert (found.hits.pairs, found.best_miss.pairs) == (2, 0)
    assert set(found.best_miss.percentiles.values()) == {None}
    assert found.auc is None


@pytest.mark.parametrize(
    ("above", "below", "area"),
    [([1, 2], [0, 0.5], 1), ([0], [1, 2], 0), ([1, 1], [1], 0.5), ([3, 1], [2], 0.5), ([2], [1, 2, 3, 4], 0.375)],
)
def test_auc(above, below, area):
    assert auc(above, below) == pytest.approx(area)
