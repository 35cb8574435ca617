"""Cosines of what the keyword leg alone has found."""

import numpy as np
import pytest
from haystack import Document
from toy_embedders import vector_of

from components.errors import CollectionError
from components.retrievers.cosine_scores import CosineScores
from components.retrievers.dense_retriever import DenseRetriever
from components.retrievers.sparse_retriever import SparseRetriever

pytestmark = pytest.mark.integration


@pytest.fixture
def birds(library):
    """Both chunks of a document, as the keyword leg hands them on."""
    library.add("/birds.md", ["herons wade slowly", "swifts sleep aloft"])
    return SparseRetriever().run(["heron", "swift"], expansions=[])["documents"]


def cosine(query, chunk):
    return float(np.dot(vector_of("toy", query), vector_of("toy", f"birds\n{chunk.content}")))


def test_every_chunk_of_the_collection_gets_its_cosine(birds):
    dense = DenseRetriever(top_k=1).run("swifts")

    found = CosineScores().run(birds, dense["embedding"], "books")["cosines"]

    assert len(birds) == 2
    assert found == pytest.approx({chunk.id: cosine("swifts", chunk) for chunk in birds}, abs=1e-5)
    assert found[dense["documents"][0].id] == pytest.approx(dense["documents"][0].score, abs=1e-6)


def test_what_is_known_is_passed_on_and_the_rest_looked_up(birds):
    one, other = birds
    known = {one.id: 0.25, "of no candidate": 0.5}

    found = CosineScores().run(birds, vector_of("toy", "swifts"), known=known)["cosines"]

    assert found == pytest.approx({one.id: 0.25, other.id: cosine("swifts", other)}, abs=1e-5)
    assert CosineScores().run([one], vector_of("toy", "swifts"), known=known)["cosines"] == {one.id: 0.25}


def test_what_the_dense_leg_knows_is_what_would_be_looked_up(birds):
    dense = DenseRetriever().run("swifts")

    looked_up, known = (
        CosineScores().run(birds, dense["embedding"], known=k)["cosines"] for k in ({}, dense["cosines"])
    )

    assert known == dense["cosines"]
    assert looked_up == pytest.approx(known, abs=1e-6)


def test_chunks_in_a_language_with_a_vector_of_its_own_are_compared_with_that(library, birds):
    library.add("/zh.md", ["苍鹭 herons"], language="zh")
    chunks = SparseRetriever().run(["heron", "swift"], expansions=[])["documents"]
    question, abroad = vector_of("toy", "swifts"), {"zh": vector_of("toy", "herons")}

    plain = CosineScores().run(chunks, question)["cosines"]
    found = CosineScores().run(chunks, question, abroad=abroad)["cosines"]

    [chinese] = [chunk.id for chunk in chunks if chunk.meta["language"] == "zh"]
    assert found[chinese] > plain[chinese]
    assert {**found, chinese: 0} == pytest.approx({**plain, chinese: 0})


def test_the_length_of_the_question_s_vector_does_not_matter(birds):
    vector = vector_of("toy", "herons")

    once, thrice = (CosineScores().run(birds, [v * n for v in vector])["cosines"] for n in (1, 3))

    assert once
    assert once == pytest.approx(thrice)


def test_equal_texts_have_the_same_cosine(library, birds):
    library.add("/other.md", ["herons wade slowly"], title="birds")
    chunks = [d for d in SparseRetriever().run(["heron"])["documents"] if d.content == "herons wade slowly"]

    found = CosineScores().run(chunks, vector_of("toy", "swifts"))["cosines"]

    assert len(chunks) == 2
    assert len(set(found.values())) == 1
    assert set(found) == {chunk.id for chunk in chunks}


def test_strange_chunks_and_questions_without_a_vector_have_none(birds):
    assert CosineScores().run([Document(id="strange", content="x")], vector_of("toy", "herons"))["cosines"] == {}
    assert CosineScores().run(birds, None)["cosines"] == {}
    assert CosineScores().run([], vector_of("toy", "herons"))["cosines"] == {}


def test_an_empty_collection_has_no_cosines_and_an_unknown_one_is_told(library):
    library.catalog.collections.create("empty")

    assert CosineScores().run([], [1.0], "empty")["cosines"] == {}
    with pytest.raises(CollectionError, match="nowhere"):
        CosineScores().run([], [1.0], "nowhere")
