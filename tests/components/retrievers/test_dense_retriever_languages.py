"""The dense leg in a collection of several languages: places of each, cosines by chance, nothing near is missed."""

import contextlib

import pytest
from toy_embedders import ToyDocumentEmbedder, ToyTextEmbedder, vector_of

import components.retrievers.dense_retriever as module
from components.retrievers.dense_retriever import DenseRetriever
from components.stores.open_indexes import DenseReader

pytestmark = pytest.mark.integration


@pytest.fixture
def bilingual(library):
    library.add("/en.md", [f"herons wade in water number {n}" for n in range(30)])
    library.add("/zh.md", ["苍鹭在浅水中行走 herons", "雨燕睡觉"])
    return library


def test_another_language_has_places_of_its_own(bilingual, both_paths):
    in_chinese = {"field": "meta.language", "operator": "==", "value": "zh"}
    found = DenseRetriever(top_k=3, per_language=1).run("herons wade in water number")
    assert [d.meta["language"] for d in found["documents"]] == ["en", "en", "en", "zh"]
    nearest = DenseRetriever().run("herons wade in water number", filters=in_chinese)["documents"][0]
    assert found["documents"][3].id == nearest.id
    assert found["leg"]["hits"] == 4
    alone = DenseRetriever(top_k=3, per_language=0).run("herons wade in water number")["documents"]
    assert alone == found["documents"][:3]


def test_a_filter_holds_in_every_language(bilingual, both_paths):
    only = {"field": "meta.source", "operator": "==", "value": "/en.md"}
    found = DenseRetriever(top_k=2).run("herons", filters=only)["documents"]
    assert {d.meta["source"] for d in found} == {"/en.md"}


def test_a_language_that_the_embedder_cannot_read_has_no_places(library):
    library.add("/en.md", ["herons wade", "herons wait"], embedder=ToyDocumentEmbedder(languages=["en"]))
    library.add("/zh.md", ["苍鹭行走"], embedder=ToyDocumentEmbedder(languages=["en"]), language="zh")
    found = DenseRetriever(ToyTextEmbedder(languages=["en"]), top_k=1).run("herons")["documents"]
    assert [d.meta["language"] for d in found] == ["en"]


def test_the_sides_of_a_comparison_keep_their_turns(bilingual):
    sides = ["water number 1", "water number 2"]
    plain, more = (DenseRetriever(top_k=2, per_language=n).run("herons", sides=sides)["documents"] for n in (0, 2))
    assert more[:2] == plain
    assert [d.content for d in more[2:]] == ["雨燕睡觉"]


def test_the_leg_tells_the_spread_of_cosines_and_the_question_s_vector(bilingual):
    found = DenseRetriever().run("herons")
    assert 0 < found["leg"]["spread"] < 1
    assert set(found["leg"]["means"]) == {"en", "zh"}
    assert found["embedding"] == pytest.approx(vector_of("toy", "herons"), abs=1e-6)
    assert "embedding" not in DenseRetriever().run("herons", legs=["sparse"])


def test_the_spread_is_that_among_the_passages_that_a_filter_leaves(bilingual):
    only = {"field": "meta.source", "operator": "==", "value": "/en.md"}
    everything, filtered = (DenseRetriever().run("雨燕睡觉", filters=filters)["leg"] for filters in (None, only))
    assert set(filtered["means"]) == {"en"}
    assert filtered["spread"] != everything["spread"]


def test_the_leg_hands_on_the_cosines_of_the_question_itself(bilingual, both_paths):
    found = DenseRetriever(top_k=3, per_language=1).run("herons wade in water number")
    assert len(found["cosines"]) == 4
    assert found["cosines"] == {d.id: d.score for d in found["documents"]}
    assert "cosines" not in DenseRetriever().run("herons", legs=["sparse"])


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
    found = DenseRetriever(top_k=5).run("herons wade in water number 7")["documents"]
    assert (found[0].id == lost) is is_found


def test_per_language_is_serialized():
    assert DenseRetriever(per_language=7).to_dict()["init_parameters"]["per_language"] == 7
