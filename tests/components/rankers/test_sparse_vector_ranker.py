"""Passages in the order of their products with the question."""

import pytest
from haystack import Document, component
from haystack.dataclasses import SparseEmbedding

from khub.components.question import Question
from khub.components.rankers.bounded_ranker import BoundedRanker
from khub.components.rankers.sparse_vector_ranker import SparseVectorRanker

pytestmark = pytest.mark.unit

MEANS = {"heron": {1: 1.0, 2: 0.5}, "bird": {2: 1.0}, "boat": {3: 1.0}}


@component
class Sparse:
    """Knows three words, two of which have something in common."""

    @component.output_types(sparse_embedding=SparseEmbedding)
    def run(self, text: str) -> dict[str, SparseEmbedding]:
        found: dict[int, float] = {}
        for word in text.split():
            for at, weight in MEANS.get(word, {}).items():
                found[at] = max(weight, found.get(at, 0.0))
        return {"sparse_embedding": SparseEmbedding(list(found), list(found.values()))}


def test_a_passage_without_the_word_is_found_by_what_it_means():
    passages = [Document(content=text, meta={"title": "a"}) for text in ("a boat", "a bird", "a heron")]
    bounded = BoundedRanker(SparseVectorRanker(Sparse()))
    ranked = bounded.run(Question(asked="heron", text="heron"), passages)["documents"]
    assert [(document.content, document.score) for document in ranked] == [
        ("a heron", 1.25),
        ("a bird", 0.5),
        ("a boat", 0.0),
    ]
    assert SparseVectorRanker(Sparse()).run("heron", [])["documents"] == []
