"""The same text under the same model is embedded once."""

from dataclasses import replace

import pytest
from haystack import Pipeline
from toy_embedders import EMBEDDED, ToyDocumentEmbedder, ToyTextEmbedder, vector_of

from khub.components.embedders.cached_embedder import CachedEmbedder
from khub.components.errors import KhubError
from tests.components.conftest import chunks_of

pytestmark = pytest.mark.unit


def embed(texts, embedder=None, source="/a.md", **meta):
    parameters = {"batch_size": meta.pop("batch_size")} if "batch_size" in meta else {}
    cached = CachedEmbedder(embedder or ToyDocumentEmbedder(), **parameters)
    return cached.run(chunks_of(source, texts, **meta))


def test_each_chunk_gets_the_vector_of_its_own_text(library):
    documents = embed(["herons", "terns", "herons"], title="Birds", section="A > B")["documents"]
    assert [d.content for d in documents] == ["herons", "terns", "herons"]
    for document in documents:
        wanted = vector_of("toy", f"Birds\nA > B\n{document.content}")
        assert document.embedding == pytest.approx(wanted, abs=1e-6)
    assert documents[0].meta["text_hash"] == documents[2].meta["text_hash"] != documents[1].meta["text_hash"]


def test_known_text_is_not_embedded_again(library):
    first = embed(["herons", "terns", "herons"])["documents"]
    assert EMBEDDED == ["a\nherons", "a\nterns"]
    again = embed(["terns", "swifts"])["documents"]
    assert EMBEDDED == ["a\nherons", "a\nterns", "a\nswifts"]
    assert again[0].embedding == first[1].embedding  # exactly: what is kept is float32


def test_renamed_file_with_a_title_keeps_its_vectors(library):
    embed(["herons"], title="Birds")
    embed(["herons"], title="Birds", source="/renamed.md")
    assert len(EMBEDDED) == 1
    embed(["herons"], title="Other birds")
    assert len(EMBEDDED) == 2


@pytest.mark.parametrize("embedder", [ToyDocumentEmbedder("other"), ToyDocumentEmbedder(prefix="p ")])
def test_other_embedder_embeds_anew(library, embedder):
    one, other = embed(["herons"]), embed(["herons"], embedder)
    assert len(EMBEDDED) == 2
    assert one["embedder"]["fingerprint"] != other["embedder"]["fingerprint"]
    assert one["documents"][0].embedding != other["documents"][0].embedding


def test_batches_are_kept_one_by_one(library):
    class Fails(ToyDocumentEmbedder):
        def run(self, documents):
            if EMBEDDED:
                raise ConnectionError("service is gone")
            return super().run(documents)

    with pytest.raises(ConnectionError):
        CachedEmbedder(Fails(), batch_size=2).run(chunks_of("/a.md", ["one", "two", "three"]))
    assert len(EMBEDDED) == 2
    embed(["one", "two", "three"], batch_size=2)
    kept = library.catalog.database.row("SELECT COUNT(*) FROM vectors")[0]
    assert kept == len(set(EMBEDDED)) + 2  # the failing class has another name, so another fingerprint


@pytest.mark.parametrize("seconds_a_text", [0.0, 0.05, 2.0])
def test_what_a_slow_embedder_has_done_is_kept_every_few_seconds(library, monkeypatch, seconds_a_text):
    now, unkept = [0.0], []
    monkeypatch.setattr("time.perf_counter", lambda: now[0])

    class Slow(ToyDocumentEmbedder):
        def run(self, documents):
            now[0] += len(documents) * seconds_a_text
            unkept.append(len(documents))
            return super().run(documents)

    CachedEmbedder(Slow()).run(chunks_of("/a.md", [f"text {n}" for n in range(1500)]))
    assert sum(unkept) == 1500
    assert max(unkept[1:]) * seconds_a_text <= 5.01
    assert len(unkept) <= 6 or seconds_a_text


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda documents: [replace(documents[0], embedding=None), *documents[1:]], "gave no vector for 1 of 3 texts"),
        (lambda documents: documents[:2], "gave no vector for 1 of 3 texts"),
        (lambda documents: [], "gave no vector for 3 of 3 texts"),
        (lambda documents: [replace(documents[0], embedding=[]), *documents[1:]], "gave no vector for 1 of 3 texts"),
        (lambda documents: [replace(d, embedding=[float("nan")] * 4) for d in documents], "cannot be used"),
        (lambda documents: [replace(d, embedding=[float("inf")] * 4) for d in documents], "cannot be used"),
        (lambda documents: [replace(d, embedding=[0.0] * 4) for d in documents], "cannot be used"),
        (lambda documents: [replace(documents[0], embedding=[1.0]), *documents[1:]], "cannot be used"),
    ],
)
def test_embedder_that_fails_on_some_texts_is_refused_and_nothing_is_kept(library, change, problem):
    class Flaky(ToyDocumentEmbedder):
        def run(self, documents):
            embedded = super().run(documents)["documents"]
            return {"documents": change(embedded) if self.batch else embedded}

    chunks = chunks_of("/a.md", ["one", "two", "three"])
    with pytest.raises(KhubError, match=f"Flaky .*{problem}.*ingest again"):
        CachedEmbedder(Flaky()).run(chunks)
    assert library.catalog.database.row("SELECT COUNT(*) FROM vectors")[0] == 0
    for document in CachedEmbedder(Flaky(batch=0)).run(chunks)["documents"]:
        assert document.embedding == pytest.approx(vector_of("toy", f"a\n{document.content}"), abs=1e-6)


def test_batch_size(library):
    sizes = []

    class Counts(ToyDocumentEmbedder):
        def run(self, documents):
            sizes.append(len(documents))
            return super().run(documents)

    CachedEmbedder(Counts(), batch_size=2).run(chunks_of("/a.md", ["one", "two", "three"]))
    assert sizes == [2, 1]


def test_no_chunks(library):
    assert embed([])["documents"] == []
    assert EMBEDDED == []


def test_binding_says_how_to_build_the_embedder(library):
    binding = embed(["x"], ToyDocumentEmbedder("m", prefix="p "))["embedder"]
    assert binding["identity"] == {"family": "Toy", "model": "m"}
    assert binding["component"]["init_parameters"] == {"model": "m", "prefix": "p ", "languages": [], "batch": 1}
    assert binding["component"]["type"] == "toy_embedders.ToyDocumentEmbedder"


def test_model_is_loaded_by_warm_up():
    inner = ToyTextEmbedder()
    CachedEmbedder(inner).warm_up()
    assert inner.warmed == 1
    CachedEmbedder(ToyDocumentEmbedder()).warm_up()  # has none


def test_round_trip():
    pipeline = Pipeline()
    pipeline.add_component("embed", CachedEmbedder(ToyDocumentEmbedder("m"), batch_size=7))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["khub.components.*", "toy_embedders"])
    assert again.dumps() == pipeline.dumps()
    assert again.get_component("embed").batch_size == 7
    assert again.get_component("embed").embedder.model == "m"


def test_an_embedder_shows_no_progress_of_its_own_and_raises_what_it_fails_on(library):
    embedder = ToyDocumentEmbedder()
    embedder.progress_bar, embedder.raise_on_failure = True, False
    CachedEmbedder(embedder)
    assert (embedder.progress_bar, embedder.raise_on_failure) == (False, True)


def test_what_is_other_for_a_question_is_remembered_and_changes_no_vector(library):
    plain, other = (
        CachedEmbedder(ToyDocumentEmbedder()),
        CachedEmbedder(ToyDocumentEmbedder(), question={"prefix": "q "}),
    )
    assert other.binding() == {**plain.binding(), "question": {"prefix": "q "}}
    assert other.to_dict()["init_parameters"]["question"] == {"prefix": "q "}
