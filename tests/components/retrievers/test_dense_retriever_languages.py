"""The dense leg in a collection of several languages: places of each, spread of cosines, nothing near is missed."""

import contextlib

import pytest
from toy_embedders import ToyDocumentEmbedder, ToyTextEmbedder, vector_of

import khub.components.retrievers.dense_retriever as module
from khub.components.retrievers.dense_retriever import DenseRetriever
from khub.components.stores.open_indexes import DenseReader
from tests.components.retrievers.conftest import ask

pytestmark = pytest.mark.integration


@pytest.fixture
def bilingual(library):
    library.add("/en.md", [f"herons wade in water number {n}" for n in range(30)])
    library.add("/zh.md", ["苍鹭在浅水中行走 herons", "雨燕睡觉"])
    return library


def test_another_language_has_places_of_its_own(bilingual, both_paths):
    in_chinese = {"field": "meta.language", "operator": "==", "value": "zh"}
    found = ask(DenseRetriever(top_k=3, per_language=1), "herons wade in water number")
    assert [d.meta["language"] for d in found["documents"]] == ["en", "en", "en", "zh"]
    nearest = ask(DenseRetriever(), "herons wade in water number", filters=in_chinese)["documents"][0]
    assert found["documents"][3].id == nearest.id
    assert found["leg"].report().hits == 4
    alone = ask(DenseRetriever(top_k=3, per_language=0), "herons wade in water number")["documents"]
    assert alone == found["documents"][:3]


def test_a_filter_holds_in_every_language(bilingual, both_paths):
    only = {"field": "meta.source", "operator": "==", "value": "/en.md"}
    found = ask(DenseRetriever(top_k=2), "herons", filters=only)["documents"]
    assert {d.meta["source"] for d in found} == {"/en.md"}


def test_a_language_that_the_embedder_cannot_read_has_no_places(library):
    library.add("/en.md", ["herons wade", "herons wait"], embedder=ToyDocumentEmbedder(languages=["en"]))
    library.add("/zh.md", ["苍鹭行走"], embedder=ToyDocumentEmbedder(languages=["en"]), language="zh")
    found = ask(DenseRetriever(ToyTextEmbedder(languages=["en"]), top_k=1), "herons")["documents"]
    assert [d.meta["language"] for d in found] == ["en"]


def test_sub_queries_keep_their_turns(bilingual):
    legs = [DenseRetriever(top_k=2, per_language=places) for places in (0, 2)]
    plain, more = (ask(leg, "herons", sub_queries=["water number 1", "water number 2"])["documents"] for leg in legs)
    assert more[:2] == plain
    assert [d.content for d in more[2:]] == ["雨燕睡觉"]


def test_the_leg_tells_the_spread_of_cosines_and_the_question_s_vector(bilingual):
    leg = ask(DenseRetriever(), "herons")["leg"]
    assert 0 < leg.spread < 1
    assert leg.vectors[""] == pytest.approx(vector_of("toy", "herons"), abs=1e-6)


def test_the_spread_is_that_among_the_passages_that_a_filter_leaves(bilingual):
    only = {"field": "meta.source", "operator": "==", "value": "/en.md"}
    everything, filtered = (
        ask(DenseRetriever(), "雨燕睡觉", filters=filters)["leg"].spread for filters in (None, only)
    )
    assert filtered != everything


def test_the_leg_hands_on_the_cosines_of_the_question_itself(bilingual, both_paths):
    found = ask(DenseRetriever(top_k=3, per_language=1), "herons wade in water number")
    assert len(found["leg"].cosines) == 4
    assert found["leg"].cosines == {d.id: d.score for d in found["documents"]}


@pytest.mark.parametrize(("limit", "is_found"), [(5_000, True), (29, False)])
def test_in_a_small_collection_what_the_store_does_not_find_is_found(bilingual, monkeypatch, limit, is_found):
    monkeypatch.setattr(module, "SURE_LIMIT", limit)
    (lost,) = [document.id for document in bilingual.catalog.chunks.visible("books") if "number 7" in document.content]
    lease = DenseReader.lease

    class Forgetful:
        def __init__(self, retriever):
            self._retriever = retriever

        def run(self, query_embedding, top_k):
            found = self._retriever.run(query_embedding=query_embedding, top_k=top_k)["documents"]
            return {"documents": [document for document in found if document.id != lost]}

    @contextlib.contextmanager
    def forgetful(self):
        with lease(self) as retriever:
            yield Forgetful(retriever)

    monkeypatch.setattr(DenseReader, "lease", forgetful)
    found = ask(DenseRetriever(top_k=5), "herons wade in water number 7")["documents"]
    assert (found[0].id == lost) is is_found
