"""Both legs against the better one."""

import pytest

from khub.eval.retrieve.legs import against_legs

pytestmark = pytest.mark.unit

MANY = 40


def test_the_better_leg_is_chosen_for_each_set_and_the_mean_counts_sets_alike():
    measured = {
        "long": {"query": {"dense": [0.2] * MANY, "sparse": [0.5] * MANY, "both": [0.6] * MANY}},
        "short": {"query": {"dense": [0.9] * 2, "sparse": [0.1] * 2, "both": [0.8] * 2}},
    }
    long, short, mean = against_legs(measured)
    assert (long["set"], long["better"], long["alone"], long["both"]) == (
        "long",
        "sparse",
        pytest.approx(0.5),
        pytest.approx(0.6),
    )
    assert (short["better"], short["alone"], short["both"]) == ("dense", pytest.approx(0.9), pytest.approx(0.8))
    assert (mean["set"], mean["alone"], mean["both"]) == (None, pytest.approx(0.7), pytest.approx(0.7))
    assert long["p"] < 0.01
    assert short["p"] == 0.5  # two questions have four ways to fall
    assert mean["p"] > 0.4


def test_a_question_that_failed_anywhere_is_left_out_of_the_comparison():
    measured = {"set": {"query": {"dense": [0.0, 1.0], "sparse": [0.0, 0.5], "both": [None, 1.0]}}}
    [row] = against_legs(measured)
    assert (row["alone"], row["both"], row["p"]) == (1.0, 1.0, 1.0)


def test_a_graph_of_which_a_leg_was_not_measured_has_no_row():
    assert against_legs({"set": {"query": {"dense": [1.0], "both": [1.0]}}}) == []
