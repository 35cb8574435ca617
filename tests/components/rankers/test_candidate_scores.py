"""Cosines of what the keyword leg alone has found."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from haystack import Document
from toy_embedders import vector_of

from khub.components.question import Leg, Question
from khub.components.rankers.candidate_scores import candidate_cosines
from khub.components.retrievers.dense_retriever import DenseRetriever
from khub.components.retrievers.sparse_retriever import SparseRetriever

pytestmark = pytest.mark.integration

SWIFTS = Question("swifts", "swifts", terms=["heron", "swift"])


def asking(text: str, **languages: str) -> Leg:
    """Return a leg that has vectors, and has found nothing."""
    texts = {"": text, **languages}
    return Leg("dense", vectors={name: np.array(vector_of("toy", one)) for name, one in texts.items()})


def by_words() -> list[Document]:
    return SparseRetriever().run(SWIFTS)["documents"]


@pytest.fixture
def birds(library: Any) -> list[Document]:
    """Both chunks of a document, as the keyword leg hands them on."""
    library.add("/birds.md", ["herons wade slowly", "swifts sleep aloft"])
    return by_words()


def test_every_chunk_of_the_collection_gets_its_cosine(birds: list[Document]) -> None:
    dense = DenseRetriever(top_k=1).run(SWIFTS)["leg"]

    found = candidate_cosines(birds, dense, Question("swifts", collection="books"))

    expected = {
        chunk.id: np.dot(vector_of("toy", "swifts"), vector_of("toy", f"birds\n{chunk.content}")) for chunk in birds
    }
    assert len(birds) == 2
    assert found == pytest.approx(expected, abs=1e-5)
    assert candidate_cosines(birds, replace(dense, cosines={}), SWIFTS) == pytest.approx(expected, abs=1e-5)


def test_what_is_known_is_passed_on_and_the_rest_looked_up(birds: list[Document]) -> None:
    one, other = birds
    known = {one.id: 0.25, other.id: math.nan, "of no candidate": 0.5}

    found = candidate_cosines(birds, replace(asking("swifts"), cosines=known), SWIFTS)

    assert found == pytest.approx({**candidate_cosines(birds, asking("swifts"), SWIFTS), one.id: 0.25})
    assert candidate_cosines(birds, Leg("dense", cosines=known), SWIFTS) == {one.id: 0.25}


def test_chunks_in_a_language_with_a_vector_of_its_own_are_compared_with_that(
    library: Any, birds: list[Document]
) -> None:
    library.add("/zh.md", ["苍鹭 herons"], language="zh")
    chunks = by_words()

    plain = candidate_cosines(chunks, asking("swifts"), SWIFTS)
    found = candidate_cosines(chunks, asking("swifts", zh="herons"), SWIFTS)

    [chinese] = [chunk.id for chunk in chunks if chunk.meta["language"] == "zh"]
    assert found[chinese] > plain[chinese]
    assert {**found, chinese: 0} == pytest.approx({**plain, chinese: 0})


def test_the_length_of_the_question_s_vector_does_not_matter(birds: list[Document]) -> None:
    once = asking("herons")
    thrice = replace(once, vectors={"": 3 * once.vectors[""]})

    assert len(candidate_cosines(birds, once, SWIFTS)) == 2
    assert candidate_cosines(birds, thrice, SWIFTS) == pytest.approx(candidate_cosines(birds, once, SWIFTS))


def test_strange_chunks_and_questions_without_a_vector_have_none(birds: list[Document]) -> None:
    assert candidate_cosines([Document(id="strange", content="x")], asking("herons"), SWIFTS) == {}
    assert candidate_cosines(birds, Leg("dense"), SWIFTS) == {}


def test_an_empty_collection_has_no_cosines(library: Any) -> None:
    library.catalog.collections.create("empty")
    strange = [Document(id="strange", content="x")]

    assert candidate_cosines(strange, asking("herons"), Question("herons", collection="empty")) == {}
