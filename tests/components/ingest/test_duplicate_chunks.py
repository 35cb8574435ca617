"""Chunks and their duplicates come together again, each document after those that it depends on."""

import pytest
from toy_embedders import ToyDocumentEmbedder

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.chunks import NewDocument
from khub.components.embedders.cached_embedder import CachedEmbedder
from khub.components.ingest.duplicate_chunks import still_stored, with_duplicates
from tests.components.conftest import chunks_of

pytestmark = pytest.mark.integration


def new(chunks, duplicates=None):
    return NewDocument(chunks[0].meta["doc_id"], "books", chunks[0].meta, {}, chunks, duplicates=duplicates or {})


def test_documents_without_anything_to_store_come_last_and_chunks_stand_in_order(library):
    one, two, three = (chunks_of(f"/{name}.md", ["herons", "terns"]) for name in ("one", "two", "three"))
    embedded = CachedEmbedder(ToyDocumentEmbedder()).run([one[1], three[0], three[1]])["documents"]
    for chunk in (one[0], *two):
        chunk.meta["duplicate_of"] = "x"
    found = with_duplicates(embedded, [one[0], *two])
    assert [chunk.id for chunk in found] == [chunk.id for chunk in (*one, *three, *two)]
    assert all("duplicate_of" not in chunk.meta for chunk in found)
    assert (
        found[0].meta["text_hash"]
        == CachedEmbedder(ToyDocumentEmbedder()).run([one[0]])["documents"][0].meta["text_hash"]
    )


def test_a_duplicate_needs_its_chunk_in_the_collection_or_before_itself(library):
    (stored,) = library.add("/stored.md", ["herons"])
    one, two, of_stored = (chunks_of(f"/{name}.md", ["herons"]) for name in ("one", "two", "three"))
    first, second = new(one), new(two, {two[0].id: one[0].id})
    third = new(of_stored, {of_stored[0].id: stored.id})
    again = new(chunks_of("/stored.md", ["herons", "terns"])[1:])
    assert still_stored(open_catalog(), [first, second, third]) == ([first, second, third], [])
    assert still_stored(open_catalog(), [second, first, third]) == ([first, third], [second])
    assert still_stored(open_catalog(), [third, again]) == ([again], [third]), "what it leans on is being replaced"
    for chunk in one:
        chunk.meta["access_level"] = "secret"
    assert still_stored(open_catalog(), [first, second, third]) == ([first, third], [second])
