import numpy as np
import pytest

from components.splitters.breakpoints import Breakpoints, gap_distances

pytestmark = pytest.mark.unit

A, B = [1.0, 0.0], [0.0, 1.0]
STARTS = np.arange(0, 100, 10)
ENDS = STARTS + 10


def runs(distances, threshold=0.5, chunk_size=1000, min_size=0):
    return Breakpoints(threshold, chunk_size, min_size).runs(STARTS, ENDS, np.array(distances, dtype=float))


def test_distances_look_at_a_window():
    vectors = np.array([A, A, B, A, A])
    assert gap_distances(vectors, 1).tolist() == [0, 1, 1, 0]
    near, far = gap_distances(vectors, 2)[1:3]
    assert near == far == pytest.approx(1 - 2 / (2 * 2**0.5))
    assert gap_distances(np.array([A]), 3).tolist() == []
    assert gap_distances(np.array([A, [0.0, 0.0]]), 1).tolist() == [1]


def test_runs_end_above_the_threshold():
    assert runs([0, 0, 0.6, 0, 0.5, 0, 0, 0.9, 0]) == [(0, 3), (3, 8), (8, 10)]


def test_only_the_widest_of_neighbouring_gaps_is_a_breakpoint():
    assert runs([0, 0.6, 0.8, 0.6, 0, 0.7, 0.7, 0, 0]) == [(0, 3), (3, 6), (6, 7), (7, 10)]


def test_min_size_on_both_sides():
    assert runs([0.9, 0, 0, 0.9, 0, 0, 0, 0, 0.9], min_size=20) == [(0, 4), (4, 10)]


def test_too_long_runs_are_cut_at_the_widest_gap_until_they_fit():
    assert runs([0.1, 0.2, 0.4, 0.1, 0.1, 0.3, 0.1, 0.1, 0.1], chunk_size=40) == [(0, 3), (3, 6), (6, 10)]


def test_equal_gaps_are_cut_in_the_middle():
    assert runs([0] * 9, chunk_size=30) == [(0, 2), (2, 5), (5, 7), (7, 10)]


def test_a_run_without_a_gap_that_leaves_enough_stays():
    assert runs([0] * 9, chunk_size=60, min_size=51) == [(0, 10)]
