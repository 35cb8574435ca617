"""The table that the weight of the static model is chosen by, and the left-out text that it is measured on."""

import numpy as np
import pytest

from eval.models.choose_blend import WEIGHTS, Vectors, chosen_weight, table
from eval.models.corpus import Corpus, Pair, Passage, windows
from eval.models.development import RetrievalSet, development_sets, ndcg_at_10, score

pytestmark = pytest.mark.unit


class Fixed:
    """A model that knows a vector for every text."""

    dimension, languages, fingerprint = 2, (), "fixed"

    def __init__(self, **vectors: tuple[float, float]) -> None:
        self.vectors = vectors

    def encode(self, texts):
        return np.array([self.vectors[text] for text in texts], dtype=np.float32)


def left_out() -> Corpus:
    pairs = [Pair(f"sentence {n} in English", f"第{n}句中文写在这里", "docs") for n in range(6)]
    news = [Passage([f"第{n}条新闻说的是苍鹭与河流的故事", "它们在水里走来走去", "夜里才睡"], n) for n in range(5)]
    return Corpus(pairs, windows(pairs), pairs[:2], news)


def test_weight_decides_between_the_two_models():
    sets = [RetrievalSet("one", ["q"], ["right", "wrong"])]
    encoder = Fixed(q=(1, 0), right=(0, 1), wrong=(1, 0))
    static = Fixed(q=(0, 1), right=(0, 1), wrong=(0, -1))
    vectors = Vectors(encoder, static, sets)
    assert score(vectors.blended(0), sets)["one"] == pytest.approx(63.09, abs=0.01)
    assert score(vectors.blended(0.95), sets)["one"] == 100
    rows = table(vectors, sets).splitlines()
    assert rows[0] == "| weight | one | mean |"
    assert [row.split(" | ")[0] for row in rows[2:]] == [*(f"| {weight:g}" for weight in WEIGHTS), "| static alone"]
    assert rows[2].startswith("| 0 | 63.1 |")
    assert rows[-1].startswith("| static alone | 100.0 |")


def test_chosen_weight_is_the_smallest_that_is_not_clearly_worse_than_the_best():
    turned = {f"q{n}": (1, 0) for n in range(8)} | {"right": (0, 1), "wrong": (1, 0)}
    lifting = {f"q{n}": (0, 1) for n in range(8)} | {"right": (0, 1), "wrong": (0, -1)}
    sets = [RetrievalSet("many", [f"q{n}" for n in range(8)], ["right"] * 8 + ["wrong"])]
    weight, behind = chosen_weight(Vectors(Fixed(**turned), Fixed(**lifting), sets), sets)
    assert weight == 0.75  # 1 finds as much
    assert behind[0.75] == behind[1] == (0, 0)
    lost, error = behind[0]
    assert lost > 20
    assert error == 0


def test_questions_have_a_gap_and_their_passage_has_none():
    data = next(data for data in development_sets(left_out()) if data.name == "question_zh-zh")
    assert len(data.queries) == 5
    for query, passage in zip(data.queries, data.passages, strict=False):
        assert query.endswith("？")
        assert query[:-1] not in passage
        assert query[0] in passage or query[-2] in passage


def test_a_sentence_is_not_in_the_passage_that_it_looks_for():
    sets = {data.name: data for data in development_sets(left_out())}
    for name in ("news_zh-zh", "docs_zh-zh", "docs_en-en"):
        for query, passage in zip(sets[name].queries, sets[name].passages, strict=False):
            assert query not in passage


def test_ndcg_counts_places_up_to_ten():
    passages = [f"p{n}" for n in range(12)]
    found = {f"p{n}": (1.0, -float(n)) for n in range(12)}
    for place, expected in ((0, 100), (1, 63.09), (9, 28.91), (10, 0)):
        order = [passages[place], *(p for p in passages if p != passages[place])]
        data = RetrievalSet("s", ["q"], order)
        encode = Fixed(q=(0.0, 1.0), **found).encode
        assert ndcg_at_10(encode, data) == pytest.approx(expected, abs=0.01)
