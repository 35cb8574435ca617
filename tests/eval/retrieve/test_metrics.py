import math
import random

import pytest

from khub.eval.retrieve.metrics import measures_of

pytestmark = pytest.mark.unit


def test_a_list_by_hand():
    found = measures_of(["x", "b", "a"], {"a": 2.0, "b": 1.0, "c": 1.0})
    ideal = 2 + 1 / math.log2(3) + 1 / 2
    assert found["ndcg@10"] == pytest.approx((1 / math.log2(3) + 2 / 2) / ideal)
    assert found["recall@10"] == found["recall@100"] == pytest.approx(2 / 3)
    assert found["mrr@10"] == 0.5


def test_the_first_place_of_a_repeated_document_counts():
    assert measures_of(["x", "x", "a", "a"], {"a": 1.0})["mrr@10"] == 0.5


def test_cuts():
    ranked = [f"x{i}" for i in range(10)] + ["a"] + [f"y{i}" for i in range(89)] + ["b"]
    assert measures_of(ranked, {"a": 1.0, "b": 1.0}) == {
        "ndcg@10": 0.0, "recall@10": 0.0, "recall@100": 0.5, "mrr@10": 0.0
    }  # fmt: skip


def test_equal_to_trec_eval():
    pytrec_eval = pytest.importorskip("pytrec_eval")
    chance = random.Random(7)
    qrels, run = {}, {}
    for query in range(60):
        documents = [f"d{i}" for i in range(chance.randint(1, 150))]
        qrels[f"q{query}"] = {
            d: chance.choice([0, 1, 1, 2, 3]) for d in chance.sample(documents, k=min(30, len(documents)))
        }
        qrels[f"q{query}"]["absent"] = 1
        chance.shuffle(documents)
        run[f"q{query}"] = {d: float(len(documents) - rank) for rank, d in enumerate(documents)}
    wanted = {"ndcg_cut.10", "recall.10,100"}
    expected = pytrec_eval.RelevanceEvaluator(qrels, wanted).evaluate(run)
    cut = {query: dict(list(documents.items())[:10]) for query, documents in run.items()}
    ranks = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(cut)
    for query, documents in run.items():
        gains = {d: float(gain) for d, gain in qrels[query].items() if gain > 0}
        found = measures_of(list(documents), gains)
        assert found["ndcg@10"] == pytest.approx(expected[query]["ndcg_cut_10"], abs=1e-9)
        assert found["recall@10"] == pytest.approx(expected[query]["recall_10"], abs=1e-9)
        assert found["recall@100"] == pytest.approx(expected[query]["recall_100"], abs=1e-9)
        assert found["mrr@10"] == pytest.approx(ranks[query]["recip_rank"], abs=1e-9)
