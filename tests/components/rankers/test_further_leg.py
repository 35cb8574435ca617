"""A further leg counts by the weight that it tells."""

import pytest
from haystack import Document

from khub.components.question import Leg, Question
from khub.components.rankers.score_ranker import ScoreRanker

pytestmark = pytest.mark.unit

TEXTS = {"a": "one heron", "b": "two heron", "c": "a chart"}


def ranked(weight: float) -> list[str]:
    found = {name: Document(id=name, content=text, score=0.1) for name, text in TEXTS.items()}
    words = Leg("sparse", [Document(id="a", content=TEXTS["a"], score=4.0), Document(id="b", content="", score=3.0)])
    found_pictures = [Document(id="c", score=0.4), Document(id="a", score=0.05)]
    pictures = Leg("pictures", found_pictures, spread=0.1, weight=weight)
    ranker = ScoreRanker(coordination_weight=0)
    documents = ranker.run(Question("heron"), list(found.values()), [words, pictures])["documents"]
    assert all(0 <= document.score <= 1 for document in documents)
    assert {"pictures", "sparse"} <= set(documents[[d.id for d in documents].index("a")].meta["ranks"])
    return [document.id for document in documents]


def test_what_it_found_rises_by_its_weight():
    assert ranked(0.0) == ["a", "b", "c"]
    assert ranked(5.0) == ["c", "a", "b"]
