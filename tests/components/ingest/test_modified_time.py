"""The time of a file goes with its document, and makes no file a changed one."""

import os

import pytest
import toy_embedders

from khub.components.converters.markitdown_converter import MarkItDownConverter
from khub.components.embedders.cached_embedder import CachedEmbedder
from khub.components.ingest.collection_writer import CollectionWriter
from khub.components.ingest.integrity_check import IntegrityCheck
from khub.components.query.short_filters import short_filter
from khub.components.splitters.markdown_splitter import MarkdownSplitter

pytestmark = pytest.mark.integration

NOON_2024_MARCH_5 = 1_709_640_000


@pytest.fixture
def ingest(library):
    def ingest(*paths, **meta):
        checked = IntegrityCheck().run([str(path) for path in paths], "books", meta=meta)
        if checked["sources"]:
            documents = MarkItDownConverter().run(checked["sources"])["documents"]
            chunks = MarkdownSplitter().run(documents)["documents"]
            embedded = CachedEmbedder(toy_embedders.ToyDocumentEmbedder()).run(chunks)
            CollectionWriter(library.memory).run(**embedded, collection="books", sources=checked["sources"])
        return checked["unchanged"]

    return ingest


def kept(library, text):
    key, _, value = text.partition(":")
    ids = library.catalog.chunks.matching("books", short_filter(key, value).condition)
    return sorted(d.meta["source"][-4:] for d, _ in library.catalog.chunks.fetch("books", ids).values())


def test_files_are_found_by_when_they_were_modified(library, ingest, tmp_path):
    old, new = tmp_path / "a.md", tmp_path / "b.md"
    old.write_text("# A\n\nOld words.\n", encoding="utf-8")
    new.write_text("---\naccess_level: public\n---\n# B\n\nNew words.\n", encoding="utf-8")
    os.utime(old, (NOON_2024_MARCH_5, NOON_2024_MARCH_5))
    ingest(old, new)
    assert kept(library, "modified:2024-03-05") == ["a.md"]
    assert kept(library, "before:2024-03") == []
    assert kept(library, "after:2024-03") == ["a.md", "b.md"]
    assert kept(library, "after:2024-04") == ["b.md"]
    assert kept(library, "ingested:2024") == []
    before = library.catalog.chunks.visible_ids("books")
    os.utime(old, (NOON_2024_MARCH_5 + 10**7, NOON_2024_MARCH_5 + 10**7))
    assert sorted(path[-4:] for path in ingest(old, new)) == ["a.md", "b.md"]
    assert library.catalog.chunks.visible_ids("books") == before
    assert kept(library, "modified:2024-03-05") == ["a.md"]


def test_the_users_level_stands_above_what_the_file_says(library, ingest, tmp_path, monkeypatch):
    said = tmp_path / "a.md"
    said.write_text("---\naccess_level: public\n---\n# A\n\nWords.\n", encoding="utf-8")
    ingest(said, access_level="internal")
    monkeypatch.setenv("KHUB_ACCESS", "public")
    assert library.catalog.documents.readable("books") == []
    monkeypatch.setenv("KHUB_ACCESS", "internal")
    assert len(library.catalog.documents.readable("books")) == 1
