"""What is ingested brings the tokens that the ranking compares."""

import pytest
from haystack import Pipeline
from toy_embedders import ToyDocumentEmbedder

from khub.components.catalog.passage_tokens import passage_tokens
from khub.components.catalog.token_rows import packed
from khub.components.embedders.cached_embedder import CachedEmbedder, text_hash
from khub.components.embedders.model_folder import load_model
from khub.components.errors import GraphError
from khub.components.ingest.collection_writer import CollectionWriter
from khub.components.ingest.kept_tokens import BATCH, kept_tokens
from khub.components.text.chunk_text import embedded_parts, embedded_text
from tests.components.conftest import chunks_of

pytestmark = pytest.mark.integration

TEXTS = ["Herons stand still. Terns dive.", "鹭站在水里。燕鸥俯冲。", "", "Herons, 鹭 and terns: herons!"]


@pytest.fixture(scope="module")
def model():
    return load_model("khub-fast")


def write(library, chunks, **parameters):
    library.catalog.collections.create("books")
    embedded = CachedEmbedder(ToyDocumentEmbedder()).run(chunks)
    CollectionWriter(library.chroma, **parameters).run(**embedded, collection="books", sources=[])


def kept(library, model):
    ids = [chunk.id for chunk in library.catalog.chunks.visible("books")]
    return library.catalog.token_rows.of_chunks(ids, model.fingerprint)


def plain(tokens):
    return [part.tolist() for part in tokens]


def test_tokens_are_those_that_the_shown_passage_has(library, model):
    write(library, chunks_of("/wading birds.md", TEXTS, title=None, section="Birds > Herons", table_header="| name |"))
    write(library, chunks_of("/b.md", TEXTS, title="Terns"))
    chunks = list(library.catalog.chunks.visible("books"))
    keys = [text_hash(embedded_text(chunk)) for chunk in chunks]
    expected = dict(zip(keys, passage_tokens(model, [embedded_parts(chunk) for chunk in chunks]), strict=True))
    found = kept(library, model)
    assert len(chunks) == len(found) == 8
    assert {key: plain(tokens) for key, tokens in found.items()} == {k: plain(t) for k, t in expected.items()}
    assert {len(tokens.lengths) for tokens in found.values()} == {1, 2, 3}


def test_none_are_kept_where_no_model_is_named(library, model):
    write(library, chunks_of("/a.md", TEXTS), interaction_model=None)
    assert library.catalog.chunks.count("books") == 4
    assert kept(library, model) == {}


def test_a_document_of_many_chunks(model):
    chunks = chunks_of("/a.md", [f"heron {n}" for n in range(BATCH * 2 + 1)])
    found = kept_tokens(chunks, model)
    alone = [packed(passage_tokens(model, [embedded_parts(chunk)])[0], model.fingerprint) for chunk in chunks]
    assert [found[chunk.id] for chunk in chunks] == alone


def test_a_wrong_model_is_refused_before_anything_is_written(library):
    with pytest.raises(GraphError, match="CollectionWriter has interaction_model='khub-base'"):
        write(library, chunks_of("/a.md", TEXTS), interaction_model="khub-base")
    assert library.catalog.chunks.count("books") == 0


@pytest.mark.parametrize("name", ["khub-fast", None])
def test_round_trip(library, name):
    pipeline = Pipeline()
    pipeline.add_component("write", CollectionWriter(library.chroma, interaction_model=name))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["khub.components.*"])
    assert again.get_component("write").interaction_model == name
