import math

import numpy as np
import pytest

from khub.components.embedders.model_folder import load_model
from khub.eval.embedding.quality import cosines, quality
from khub.eval.retrieve.beir import Dataset, read_dataset

pytestmark = pytest.mark.unit


def dataset(gains, passages=12):
    return Dataset("made", {f"p{i}": "" for i in range(passages)}, dict.fromkeys(gains, ""), gains)


def ranked(*places, passages=12):
    """Return the scores of one query whose passages come in this order, the others after them."""
    order = [*places, *(i for i in range(passages) if i not in places)]
    row = np.empty(passages, dtype=np.float32)
    row[order] = np.linspace(1, 0, passages)
    return row


def test_figures_of_known_rankings():
    data = dataset({"q1": {"p0": 2.0, "p1": 1.0}, "q2": {"p11": 1.0}})
    scores = np.vstack([ranked(5, 1, 0), ranked(*range(12))])  # p1 second, p0 third; p11 twelfth, which is too late
    found = quality(scores, data)
    ndcg = (1 / math.log2(3) + 2 / math.log2(4)) / (2 + 1 / math.log2(3))
    assert found.ndcg == pytest.approx(100 * ndcg / 2)
    assert found.recall == pytest.approx(100 * (1 + 0) / 2)
    assert found.mrr == pytest.approx(100 * (1 / 2 + 0) / 2)


def test_the_tenth_place_counts_and_the_eleventh_does_not():
    data = dataset({"q": {"p9": 1.0, "p10": 1.0}})
    found = quality(ranked(*range(12))[np.newaxis], data)
    assert found.recall == pytest.approx(50)
    assert found.mrr == pytest.approx(10)


def test_a_perfect_ranking_is_a_hundred_percent_even_of_few_passages():
    data = dataset({"q": {"p2": 3.0, "p1": 1.0}}, passages=3)
    assert tuple(quality(ranked(2, 1, passages=3)[np.newaxis], data)) == pytest.approx((100, 100, 100))


def test_equal_scores_are_ranked_in_the_order_of_the_set():
    data = dataset({"q": {"p0": 1.0}})
    assert quality(np.zeros((1, 12)), data).mrr == 100
    assert quality(np.zeros((1, 12)), dataset({"q": {"p1": 1.0}})).mrr == 50


def test_a_real_model_finds_what_belongs_together(beir):
    data = read_dataset(beir(), False)
    scores = cosines(load_model("khub-fast"), data)
    assert scores.shape == (2, 4)
    assert scores.argmax(axis=1).tolist() == [0, 3]
    assert tuple(quality(scores, data)) == (100, 100, 100)
