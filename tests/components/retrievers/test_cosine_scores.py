"""Cosines of what the keyword leg alone has found."""

import numpy as np
import pytest
from haystack import Document
from toy_embedders import vector_of

from components.errors import CollectionError
from components.retrievers.cosine_scores import CosineScores
from components.retrievers.dense_retriever import DenseRetriever

pytestmark = pytest.mark.integration


def test_every_chunk_of_the_collection_gets_its_cosine(library):
    chunks = library.add("/birds.md", ["herons wade slowly", "swifts sleep aloft"])
    dense = DenseRetriever(top_k=1).run("swifts")

    found = CosineScores().run(chunks, dense["embedding"], "books")["cosines"]

    wanted = {c.id: float(np.dot(vector_of("toy", "swifts"), vector_of("toy", f"birds\n{c.content}"))) for c in chunks}
    assert found == pytest.approx(wanted, abs=1e-5)
    assert found[dense["documents"][0].id] == pytest.approx(dense["documents"][0].score, abs=1e-6)


def test_the_length_of_the_question_s_vector_does_not_matter(library):
    chunks = library.add("/birds.md", ["herons wade slowly"])
    vector = vector_of("toy", "herons")

    once, thrice = (CosineScores().run(chunks, [v * n for v in vector])["cosines"] for n in (1, 3))

    assert once == pytest.approx(thrice)


def test_strange_chunks_and_questions_without_a_vector_have_none(library):
    chunks = library.add("/birds.md", ["herons wade slowly"])

    assert CosineScores().run([Document(id="strange", content="x")], vector_of("toy", "herons"))["cosines"] == {}
    assert CosineScores().run(chunks, None)["cosines"] == {}
    assert CosineScores().run([], vector_of("toy", "herons"))["cosines"] == {}


def test_an_empty_collection_has_no_cosines_and_an_unknown_one_is_told(library):
    library.catalog.collections.create("empty")

    assert CosineScores().run([], [1.0], "empty")["cosines"] == {}
    with pytest.raises(CollectionError, match="nowhere"):
        CosineScores().run([], [1.0], "nowhere")
