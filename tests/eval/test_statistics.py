"""Confidence intervals and p-values, by hand and against scipy."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from khub.components.errors import EvaluationError
from khub.eval import statistics
from khub.eval.statistics import EXACT_UP_TO, FLIPS, bootstrap_interval, paired_p_value
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit

figures = st.lists(st.floats(0, 1), min_size=1, max_size=40)
FEW_PAIRS = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=10)


@settings(max_examples=40, deadline=None)
@given(figures, st.randoms())
def test_an_interval_lies_between_the_values_in_any_order(values, random):
    low, high = bootstrap_interval(values, resamples=50)
    assert min(values) - 1e-12 <= low <= high <= max(values) + 1e-12
    shuffled = random.sample(values, len(values))
    assert bootstrap_interval(shuffled, resamples=50) == (low, high)


def test_an_interval_by_hand():
    """Means of two draws from 0 and 1: 0, 1/2 and 1 in a quarter, a half and a quarter of the samples."""
    assert bootstrap_interval([0, 1], level=0.9) == (0, 1)
    assert bootstrap_interval([0, 1], level=0.3) == (0.5, 0.5)
    assert bootstrap_interval([0, 1], level=0.6) == (0, 1)


def test_an_interval_is_that_of_scipy():
    values = np.random.default_rng(5).random(80)
    theirs = stats.bootstrap((values,), np.mean, n_resamples=20_000, method="percentile", rng=1).confidence_interval
    assert bootstrap_interval(list(values), resamples=20_000) == pytest.approx(tuple(theirs), abs=2e-3)


def test_an_interval_holds_the_true_mean_as_often_as_it_says():
    generator = np.random.default_rng(11)
    samples = (generator.random(120) < 0.8 for _ in range(300))
    held = sum(low <= 0.8 <= high for low, high in (bootstrap_interval(list(s), resamples=400) for s in samples))
    assert 0.90 <= held / 300 <= 0.985


def test_level_resamples_and_seed_make_a_difference():
    values = list(np.random.default_rng(3).random(30))
    usual = bootstrap_interval(values)
    assert bootstrap_interval(values) == usual
    assert bootstrap_interval(values, seed=1) != usual
    assert bootstrap_interval(values, resamples=500) != usual
    low, high = bootstrap_interval(values, level=0.5)
    assert usual[0] < low < high < usual[1]


def test_large_samples_are_drawn_in_parts(monkeypatch):
    values = list(np.random.default_rng(3).random(50))
    whole = bootstrap_interval(values, resamples=3000)
    monkeypatch.setattr(statistics, "CELLS", 70)
    assert bootstrap_interval(values, resamples=3000) == pytest.approx(whole, abs=0.01)
    assert sum(statistics._batches(3000, 7)) == 3000


@pytest.mark.parametrize(
    ("values", "settings", "said"),
    [
        ([], {}, "there are no values to give an interval of"),
        ([1.0, math.nan], {}, "figure 1 is nan: give numbers"),
        ([1.0], {"level": 1.0}, "bootstrap_interval has level=1.0"),
        ([1.0], {"resamples": 0}, "resamples=0"),
    ],
)
def test_no_interval_of_what_has_none(values, settings, said):
    with pytest.raises(EvaluationError, match=said):
        bootstrap_interval(values, **settings)


@pytest.mark.parametrize(
    ("a", "b", "p"),
    [
        ([1, 1, 1], [0, 0, 0], 2 / 8),
        ([1] * 5 + [0.5] * 9, [0] * 5 + [0.5] * 9, 2 / 32),
        ([1, 1, 1, 0], [0, 0, 0, 1], 10 / 16),
        ([0.1, 0.2, 0, 0.1], [0, 0, 0.3, 0], 1),  # 0.1 + 0.2 - 0.3 is not quite 0
        ([0.3, 0.3, 0.3], [0.2, 0.1, 0.6], 1),
        ([1, 1, None, 0], [0, 0, 1, None], 2 / 4),
        ([0.5, 0.7], [0.5, 0.7], 1),
        ([None], [1], 1),
        ([], [], 1),
    ],
)
def test_a_p_value_by_hand(a, b, p):
    assert paired_p_value(a, b) == pytest.approx(p)


def enumerated(differences):
    """Count by the definition, in exact fractions of the floats."""
    exact = [int(d * 2**40) for d in differences]
    sums = [abs(sum(s * d for s, d in zip(signs, exact, strict=True))) for signs in product((1, -1), repeat=len(exact))]
    return sum(s >= abs(sum(exact)) for s in sums) / len(sums)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-4, 4), max_size=10))
def test_a_p_value_is_what_the_definition_says(differences):
    assert paired_p_value([d / 8 for d in differences], [0] * len(differences)) == pytest.approx(
        enumerated([d / 8 for d in differences])
    )


@settings(deadline=None)
@given(FEW_PAIRS)
def test_it_does_not_matter_which_system_comes_first(pairs):
    a, b = zip(*pairs, strict=True)
    assert 0 < paired_p_value(a, b) == paired_p_value(b, a) <= 1


def test_an_exact_p_value_is_that_of_scipy():
    generator = np.random.default_rng(2)
    a, b = generator.random(11) + 0.2, generator.random(11)
    theirs = stats.permutation_test((a, b), lambda x, y: (x - y).mean(), permutation_type="samples", n_resamples=np.inf)
    assert paired_p_value(list(a), list(b)) == pytest.approx(theirs.pvalue, abs=1e-12)


@pytest.mark.parametrize("won", [50, 60, 65, 75])
def test_many_pairs_are_sampled(won):
    """Where all differences are as large, flipping signs is tossing coins."""
    exact = stats.binomtest(won, 100).pvalue
    wins = [1.0] * won + [0.0] * (100 - won)
    p = paired_p_value(wins, [1 - w for w in wins])
    assert p == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / FLIPS) + 1 / FLIPS)
    assert p == paired_p_value([1 - w for w in wins], wins)


def test_exact_and_sampled_values_agree(monkeypatch):
    a, b = np.random.default_rng(8).random((2, EXACT_UP_TO))
    exact = paired_p_value(list(a), list(b))
    monkeypatch.setattr(statistics, "EXACT_UP_TO", 0)
    sampled = paired_p_value(list(a), list(b))
    assert sampled != exact
    assert sampled == pytest.approx(exact, abs=0.015)


def test_a_sampled_p_value_is_never_zero_and_depends_on_the_seed():
    assert paired_p_value([1.0] * 60, [0.0] * 60) == 1 / (FLIPS + 1)
    a, b = np.random.default_rng(1).random((2, 40))
    assert paired_p_value(list(a), list(b), seed=1) != paired_p_value(list(a), list(b), seed=2)


def test_chance_alone_is_seldom_significant():
    generator = np.random.default_rng(4)
    tests = [paired_p_value(*generator.random((2, 12)).tolist()) for _ in range(200)]
    assert sum(p < 0.05 for p in tests) <= 20


def test_lists_that_do_not_belong_together_are_refused():
    with raises_code("evaluation_failed", "2 and 1 figures"):
        paired_p_value([1, 0], [1])
    with raises_code("evaluation_failed", "figure 0 is inf"):
        paired_p_value([math.inf], [1.0])
