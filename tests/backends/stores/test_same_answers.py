"""Every store finds what comparing each chunk finds, with filters and without."""

import numpy as np
import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.question import Question
from khub.components.retrievers.dense_retriever import DenseRetriever
from khub.components.stores.open_indexes import dense_reader
from tests.backends.stores.conftest import COLLECTION, NEAREST, cited, nearest, questions

pytestmark = pytest.mark.integration

FIRST = 0.9
"""Share of the questions whose first passage is the same where an engine's own BM25 has a part in it."""
FILTERS = (
    {"field": "meta.language", "operator": "==", "value": "zh"},
    {
        "operator": "AND",
        "conditions": [
            {"field": "meta.language", "operator": "==", "value": "en"},
            {"field": "meta.page", "operator": "==", "value": None},
        ],
    },
)


def assert_same(answers, others, by_other_words):
    if not by_other_words:
        assert answers == others
        return
    assert [bool(answer) for answer in answers] == [bool(other) for other in others]
    same = [answer[:1] == other[:1] for answer, other in zip(answers, others, strict=True)]
    assert np.mean(same) >= FIRST


@pytest.fixture
def collection(hub):
    return f"{COLLECTION} {hub.kind.name}"


def test_there_is_enough_to_search(hub, collection):
    catalog = open_catalog()
    assert len(catalog.chunks.visible_ids(collection)) >= 300
    assert set(catalog.vectors.languages(collection)) == {"en", "zh"}
    assert len(questions()) == 40
    assert hub.stored(collection) == catalog.chunks.indexed_ids(collection)


def test_the_store_names_what_is_nearest(hub, collection):
    asked = [nearest(question, collection) for question in questions()]
    binding = open_catalog().collections.binding(collection)
    embedder = hub.embedder(collection)
    shares = []
    with dense_reader(open_catalog(), collection, hub.template(collection)).lease() as retriever:
        for question, cosines in zip(questions(), asked, strict=True):
            vector = embedder.run(text=question)["embedding"]
            found = [d.id for d in retriever.run(query_embedding=vector, top_k=NEAREST)["documents"]]
            least = sorted(cosines.values())[-NEAREST] - 1e-5
            shares.append(sum(cosines[key] >= least for key in set(found)) / NEAREST)
    assert binding["store"] == hub.template(collection).to_dict()
    assert np.mean(shares) >= 0.99


@pytest.mark.parametrize("legs", [["dense"], None], ids=["dense", "both"])
def test_answers_are_those_of_the_shipped_store(hub, collection, legs):
    answers = [cited(question, collection, legs=legs) for question in questions()]
    others = [cited(question, COLLECTION, legs=legs) for question in questions()]
    assert_same(answers, others, hub.kind.words and legs is None)
    assert sum(map(bool, answers)) >= 30


def test_the_dense_leg_finds_what_comparing_each_chunk_finds(hub, collection):
    dense = DenseRetriever(per_language=0)
    shares = []
    for question in questions():
        found = dense.run(question=Question(question, question, collection))["documents"]
        least = list(nearest(question, collection).values())[dense.top_k - 1] - 1e-5
        assert len(found) == dense.top_k
        shares.append(sum(d.score >= least for d in found) / dense.top_k)
    assert np.mean(shares) >= 0.99


@pytest.mark.parametrize("filters", FILTERS, ids=["language", "two conditions"])
def test_filters_give_equal_results(hub, collection, filters):
    answers = [cited(question, collection, filters=filters) for question in questions()]
    assert_same(answers, [cited(question, COLLECTION, filters=filters) for question in questions()], hub.kind.words)
    assert sum(map(bool, answers)) >= 10
