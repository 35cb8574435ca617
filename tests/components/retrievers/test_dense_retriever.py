"""The dense leg: cosine by the catalog's vectors, filters, ghosts, languages, bindings."""

import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from haystack import Document, Pipeline
from haystack.document_stores.types import DuplicatePolicy
from tiny_onnx import write_model
from toy_embedders import LonelyDocumentEmbedder, ToyDocumentEmbedder, ToyTextEmbedder, vector_of

from khub.components.answer import LegReport
from khub.components.embedders.cached_embedder import CachedEmbedder
from khub.components.embedders.document_embedder import DocumentEmbedder
from khub.components.embedders.model_folder import SHIPPED, _load
from khub.components.embedders.text_embedder import TextEmbedder
from khub.components.enrichers.near_duplicates import DUPLICATE_OF
from khub.components.errors import BindingError, CollectionError, FilterError, GraphError
from khub.components.ingest.collection_writer import CollectionWriter
from khub.components.question import Leg
from khub.components.retrievers.dense_retriever import DenseRetriever
from khub.components.stores.bound_parts import _parts
from khub.components.stores.index_writer import IndexWriter
from tests.components.conftest import chunks_of
from tests.components.retrievers.conftest import ask

pytestmark = pytest.mark.integration

TEXTS = ["herons wade slowly", "swifts sleep aloft", "terns dive steeply", "owls hunt at night"]


@pytest.fixture
def birds(library):
    library.add("/birds.md", TEXTS, topic="birds")
    library.add("/fish.md", ["herons eat trout", "trout swim upstream"], topic="fish")
    return library


def search(query, embedder=None, template=None, top_k=30, **more):
    result = ask(DenseRetriever(embedder, template, top_k), query, **more)
    return [d.content for d in result["documents"]], result["leg"]


def by_topic(topic):
    return {"field": "meta.topic", "operator": "==", "value": topic}


def test_score_is_the_cosine_of_the_kept_vectors(birds):
    documents = ask(DenseRetriever(ToyTextEmbedder()), "birds swifts sleep")["documents"]
    assert documents[0].content == "swifts sleep aloft"
    for document in documents:
        stem = document.meta["source"].strip("/").removesuffix(".md")
        wanted = np.dot(vector_of("toy", "birds swifts sleep"), vector_of("toy", f"{stem}\n{document.content}"))
        assert document.score == pytest.approx(float(wanted), abs=1e-5)
    scores = [d.score for d in documents]
    assert scores == sorted(scores, reverse=True)


def test_leg_report_and_top_k(birds):
    contents, leg = search("herons", top_k=2)
    assert leg.report() == LegReport("dense", True, 2)
    assert [d.content for d in leg.documents] == contents
    assert set(contents) == {"herons wade slowly", "herons eat trout"}


def test_filter(birds, both_paths):
    assert search("herons", filters=by_topic("fish"))[0] == ["herons eat trout", "trout swim upstream"]
    assert search("herons", filters=by_topic("fish"), top_k=1)[0] == ["herons eat trout"]
    assert len(search("owls", filters=by_topic("fish"), top_k=5)[0]) == 2
    contents, leg = search("herons", filters=by_topic("none"))
    assert (contents, leg.reason, leg.used) == ([], "no chunk to search", True)
    with pytest.raises(FilterError):
        search("herons", filters={"field": "topic"})


def test_ghosts_neither_come_out_nor_eat_places(birds):
    binding = birds.catalog.collections.binding("books")
    with IndexWriter(birds.catalog, "books", birds.chroma, binding).writing() as writer:
        ghosts = [Document(id=f"ghost{n}", embedding=vector_of("toy", "herons")) for n in range(40)]
        writer.indexes.dense().write_documents(ghosts, DuplicatePolicy.OVERWRITE)
        writer.indexes.mark_whole()
    contents, leg = search("herons", top_k=3)
    assert len(contents) == leg.report().hits == 3
    assert "herons eat trout" in contents


def test_legs(birds):
    assert search("herons", legs=["sparse"]) == ([], Leg.left_out("dense", "left out by the caller"))
    assert search("herons", legs=["dense"])[0]


def test_question_in_a_language_that_the_embedder_cannot_read(birds):
    english = ToyTextEmbedder(languages=["en"])
    contents, leg = search("苍鹭在哪里", english)
    assert contents == []
    assert leg == Leg.left_out("dense", "the embedder reads en, the question is zh")
    assert search("42", english)[0]  # no language at all
    assert search("苍鹭在哪里", ToyTextEmbedder())[0]
    assert search("苍鹭在哪里", ToyTextEmbedder(languages=["en", "zh"]))[0]


@pytest.fixture
def mixed(library):
    library.add("/zh.md", [f"herons 苍鹭在浅水中行走 {n}" for n in range(60)], topic="all", language="zh")
    library.add("/en.md", ["owls hunt at night", "terns dive"], topic="all", language="en")
    library.add("/numbers.md", ["1 2 3"], topic="all", language="und")
    return library


@pytest.mark.parametrize("filters", [None, by_topic("all")], ids=["all", "filtered"])
def test_chunks_that_the_embedder_cannot_read_leave_their_places_to_others(mixed, filters, both_paths):
    contents, leg = search("herons", ToyTextEmbedder(languages=["en"]), top_k=3, filters=filters)
    assert set(contents) == {"owls hunt at night", "terns dive", "1 2 3"}
    assert leg.reason == "60 hits in a language that the embedder cannot read were left out"
    assert all(text.startswith("herons") for text in search("herons", top_k=3)[0])


def mixed_vector(question, gloss, weight):
    mixed = np.asarray(vector_of("toy", question)) + weight * np.asarray(vector_of("toy", gloss))
    return mixed / np.linalg.norm(mixed)


@pytest.mark.parametrize("weight", [0.5, 1.0])
@pytest.mark.parametrize("filters", [None, by_topic("all")], ids=["all", "filtered"])
def test_passages_in_the_language_of_a_gloss_are_compared_with_both_vectors(mixed, filters, both_paths, weight):
    question, gloss = "夜里谁捕猎", "night owls"
    retriever = DenseRetriever(ToyTextEmbedder(), top_k=5, gloss_weight=weight)
    found = ask(retriever, question, glosses={"en": gloss}, filters=filters)
    wanted = {"": vector_of("toy", question), "en": mixed_vector(question, gloss, weight)}
    vectors = {language: vector.tolist() for language, vector in found["leg"].vectors.items()}
    assert vectors == {language: pytest.approx(list(vector), abs=1e-6) for language, vector in wanted.items()}
    english = [d for d in found["documents"] if d.meta["language"] == "en"]
    assert next(d.content for d in english) == "owls hunt at night"
    assert {"en", "zh"} <= {d.meta["language"] for d in found["documents"]}
    for document in found["documents"]:
        stem = document.meta["source"].strip("/").removesuffix(".md")
        asked = wanted.get(document.meta["language"], wanted[""])
        cosine = float(np.dot(asked, vector_of("toy", f"{stem}\n{document.content}")))
        assert document.score == pytest.approx(cosine, abs=1e-5)
        assert found["leg"].cosines[document.id] == pytest.approx(cosine, abs=1e-5)


def test_a_gloss_changes_nothing_where_no_passage_is_in_its_language(mixed):
    question = "夜里谁捕猎"
    plain = ask(DenseRetriever(ToyTextEmbedder()), question)
    found = ask(DenseRetriever(ToyTextEmbedder()), question, glosses={"ko": "night"})
    assert set(found["leg"].vectors) == {""}
    assert [d.score for d in found["documents"]] == [d.score for d in plain["documents"]]
    weightless = ask(DenseRetriever(ToyTextEmbedder(), gloss_weight=0), question, glosses={"en": "night owls"})
    assert weightless["leg"].cosines == plain["leg"].cosines


def test_what_a_notion_is_called_in_the_questions_language_is_searched_beside_it(library):
    library.add("/en.md", ["gross margin policy", "owls hunt at night"], language="en")
    plain = ask(DenseRetriever(ToyTextEmbedder(), top_k=1), "gross margin")["documents"]
    found = ask(
        DenseRetriever(ToyTextEmbedder(), top_k=1, gloss_weight=1.0), "gross margin", glosses={"en": "owls night"}
    )
    assert [d.content for d in plain] == ["gross margin policy"]
    assert {d.content for d in found["documents"]} == {"gross margin policy", "owls hunt at night"}


def test_a_question_that_wants_many_passages_is_given_more_than_the_stage_has_by_itself(mixed):
    wanting = ask(DenseRetriever(ToyTextEmbedder(), top_k=3, per_language=0), "herons", top_k=20)
    assert len(wanting["documents"]) == 40
    few = ask(DenseRetriever(ToyTextEmbedder(), top_k=3, per_language=0), "herons", top_k=1)
    assert len(few["documents"]) == 3


def test_spread_is_that_of_the_vector_each_language_is_compared_with(mixed):
    question, gloss = "夜里谁捕猎", "night owls"
    plain, glossed = (
        ask(DenseRetriever(ToyTextEmbedder()), question, glosses=g)["leg"].spread for g in ({}, {"en": gloss})
    )
    assert glossed != plain


@pytest.mark.parametrize("weight", [-0.1, 1.1])
def test_a_weight_of_glosses_out_of_bounds_is_refused(weight):
    with pytest.raises(GraphError, match="gloss_weight"):
        DenseRetriever(gloss_weight=weight)


def test_question_gets_the_prefix_of_the_graphs_own_embedder(birds):
    assert search("trout swim", ToyTextEmbedder(), top_k=1)[0] == ["trout swim upstream"]
    assert search("x", ToyTextEmbedder(prefix="owls hunt at night "), top_k=1)[0] == ["owls hunt at night"]


def test_graph_without_embedder_and_template_uses_the_collections_own(birds):
    own = ask(DenseRetriever(), "swifts")["documents"]
    named = ask(DenseRetriever(ToyTextEmbedder(), birds.chroma), "swifts")["documents"]
    assert own == named


def test_embedder_is_warmed_up_once(birds):
    embedder = ToyTextEmbedder()
    retriever = DenseRetriever(embedder)
    assert embedder.warmed == 0
    retriever.warm_up()
    ask(retriever, "x")
    ask(retriever, "x")
    assert embedder.warmed == 1
    DenseRetriever().warm_up()


def test_collection_of_another_model_or_version_is_refused(birds):
    with pytest.raises(BindingError, match=r"embedded by Toy toy, this graph's question by Toy other: .*khub reindex"):
        search("herons", ToyTextEmbedder("other"))
    other = ToyTextEmbedder()
    other.fingerprint = "of another version"
    with pytest.raises(BindingError, match=r"by another version or setting of Toy toy: .*khub reindex"):
        search("herons", other)


@pytest.fixture
def encoder(tmp_path):
    english = Path(shutil.copytree(SHIPPED / "khub-fast", tmp_path / "english"))
    config = json.loads((english / "config.json").read_text(encoding="utf-8"))
    (english / "config.json").write_text(json.dumps(config | {"languages": ["en"]}), encoding="utf-8")
    return {"model": str(write_model(tmp_path / "encoder")), "fallback": str(english)}


@pytest.fixture
def lose_library(monkeypatch):
    """A function: from now on this is a machine without onnxruntime."""

    def lose():
        _load.cache_clear()
        _parts.cache_clear()
        monkeypatch.setitem(sys.modules, "onnxruntime", None)

    return lose


@pytest.mark.parametrize("named", [True, False], ids=["graph's embedder", "collection's own"])
def test_fallback_does_not_search_among_the_vectors_of_the_model(library, encoder, lose_library, named):
    library.add("/a.md", ["the heron wades", "the swift sleeps"], embedder=DocumentEmbedder(**encoder))
    assert search("heron", TextEmbedder(**encoder) if named else None, top_k=1)[0] == ["the heron wades"]
    lose_library()
    with pytest.raises(BindingError) as error:
        search("heron", TextEmbedder(**encoder) if named else None)
    assert str(error.value).startswith(
        f"collection 'books' was embedded by {encoder['model']}, but"
        f" {encoder['fallback']} stands in for {encoder['model']}"
        ": the Python package onnxruntime cannot be imported"
    )
    assert error.value.remedy.startswith("pip install onnxruntime, or")


@pytest.mark.parametrize("named", [True, False], ids=["graph's embedder", "collection's own"])
def test_leg_says_that_the_fallback_stands_in(library, encoder, lose_library, named):
    lose_library()
    library.add("/a.md", ["the heron wades", "the swift sleeps"], embedder=DocumentEmbedder(**encoder))
    embedder = TextEmbedder(**encoder) if named else None
    contents, leg = search("heron", embedder, top_k=1)
    assert contents == ["the heron wades"]
    assert leg.reason.startswith(f"{encoder['fallback']} stands in for ")
    leg = search("苍鹭在哪里", embedder)[1]
    assert leg.reason.startswith(f"the embedder reads en, the question is zh; {encoder['fallback']} stands in for ")
    assert not leg.used


def test_collection_in_another_store_is_refused(birds):
    with pytest.raises(
        BindingError, match=r"lies in another document store .*: leave the template out of the query graph"
    ):
        search("herons", template=birds.memory)


def test_empty_and_unknown_collections(library):
    with pytest.raises(CollectionError, match="there is no collection yet"):
        search("herons")
    library.catalog.collections.create("books")
    assert search("herons")[1].reason == "no chunk to search"


def test_embedder_that_has_no_text_embedder_needs_one_in_the_graph(library):
    library.add("/a.md", ["herons"], embedder=LonelyDocumentEmbedder())
    with pytest.raises(BindingError, match=r"no text embedder toy_embedders.LonelyTextEmbedder: name the embedder"):
        search("herons")


def test_embedder_that_may_not_be_loaded(library, monkeypatch):
    library.add("/a.md", ["herons"], embedder=ToyDocumentEmbedder("not loaded before"))
    monkeypatch.delenv("KHUB_ALLOWED_MODULES")
    with pytest.raises(BindingError, match=r"toy_embedders.* may not be loaded"):
        search("herons")


def test_one_graph_answers_from_collections_in_different_stores_and_models(birds):
    birds.add("/m.md", ["moths fly"], collection="memory", template=birds.memory, embedder=ToyDocumentEmbedder("big"))
    retriever = DenseRetriever(top_k=1)
    assert [d.content for d in ask(retriever, "moths", collection="memory")["documents"]] == ["moths fly"]
    assert [d.content for d in ask(retriever, "owls", collection="books")["documents"]] == ["owls hunt at night"]


def test_collection_that_was_made_again_is_not_the_old_one(birds):
    import shutil

    assert search("herons", top_k=1)[0]
    birds.catalog.collections.remove("books")
    shutil.rmtree(birds.catalog.home / "dense")
    shutil.rmtree(birds.catalog.home / "sparse")
    birds.add("/new.md", ["moths fly"])
    birds.add("/new2.md", ["moths rest"])
    assert sorted(search("moths")[0]) == ["moths fly", "moths rest"]


def test_round_trip(library):
    pipeline = Pipeline()
    pipeline.add_component("dense", DenseRetriever(ToyTextEmbedder("m"), library.chroma, 7, per_language=3))
    pipeline.add_component("own", DenseRetriever())
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["khub.components.*", "toy_embedders"])
    assert again.dumps() == pipeline.dumps()
    dense = again.get_component("dense")
    assert (dense.embedder.model, dense.top_k, dense.per_language) == ("m", 7, 3)
    assert dense.template.to_dict() == library.chroma.to_dict()
    assert (again.get_component("own").embedder, again.get_component("own").template) == (None, None)


@pytest.mark.parametrize("query", ["📄🤔❓", "→ ★", "。。。"])
def test_question_without_words_has_no_neighbours(birds, query):
    documents, leg = search(query)
    assert (documents, leg.used, leg.reason) == ([], False, "the question holds no words")


def test_each_sub_query_has_places(birds, both_paths):
    whole, _ = search("swifts sleep aloft or trout", ToyTextEmbedder(), top_k=3)
    compared = ["terns dive steeply", "owls hunt at night"]
    contents, leg = search("swifts sleep aloft or trout", ToyTextEmbedder(), top_k=3, sub_queries=compared)
    assert contents == [whole[0], *compared]
    assert len(leg.documents) == 3
    filtered, _ = search("swifts sleep aloft", top_k=2, sub_queries=["trout swim upstream"], filters=by_topic("fish"))
    assert "trout swim upstream" in filtered


def test_score_of_a_sub_query_is_the_cosine_of_its_own_vector(birds):
    compared = ["birds owls hunt at night", "?!"]
    documents = ask(DenseRetriever(ToyTextEmbedder()), "herons", sub_queries=compared)["documents"]
    (found,) = [d for d in documents if d.content == "owls hunt at night"]
    assert found.score == pytest.approx(1.0, abs=1e-5)
    asked = ("herons", "birds owls hunt at night")
    for document in documents:
        stem = document.meta["source"].strip("/").removesuffix(".md")
        own = vector_of("toy", f"{stem}\n{document.content}")
        assert document.score == pytest.approx(max(float(np.dot(vector_of("toy", q), own)) for q in asked), abs=1e-5)


def test_what_a_sub_query_alone_has_found_has_no_cosine_of_the_question(birds):
    plain = ask(DenseRetriever(top_k=2), "herons wade slowly")
    found = ask(DenseRetriever(top_k=2), "herons wade slowly", sub_queries=["owls hunt at night"])
    first, of_side = found["documents"]
    assert (first.id, of_side.content) == (plain["documents"][0].id, "owls hunt at night")
    assert found["leg"].cosines == {first.id: plain["leg"].cosines[first.id]}


def test_what_is_shown_in_place_of_another_chunk_has_no_cosine(birds):
    (stored,) = birds.add("/otters.md", ["otters sleep afloat"])
    (twin,) = chunks_of("/twin.md", ["otters, sleep afloat"])
    twin = replace(twin, meta={**twin.meta, DUPLICATE_OF: stored.id})
    embedder = CachedEmbedder(ToyDocumentEmbedder()).binding()
    CollectionWriter(birds.chroma).run([], embedder, "books", [{"path": "/twin.md"}], duplicates=[twin])
    own = {"field": "meta.source", "operator": "==", "value": "/twin.md"}
    found = ask(DenseRetriever(), "otters", filters=own)
    assert [d.id for d in found["documents"]] == [twin.id]
    assert found["leg"].cosines == {}
    assert stored.id in ask(DenseRetriever(), "otters")["leg"].cosines
