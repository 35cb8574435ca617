"""A library: collections filled by small deterministic embedders, in real stores."""

import hashlib
import sys
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from haystack import Document
from haystack.core.serialization import allow_deserialization_module

from khub.components.catalog.catalog import Catalog, open_catalog
from khub.components.catalog.documents import doc_id_of
from khub.components.embedders.cached_embedder import CachedEmbedder
from khub.components.embedders.model_folder import load_model
from khub.components.embedders.static_model import StaticModel
from khub.components.ingest.collection_writer import CollectionWriter
from khub.components.stores.store_template import StoreTemplate
from khub.components.text.language import detect_language

sys.path.append(str(Path(__file__).parent / "parts"))  # graphs name the classes of toy_embedders

import toy_embedders


def chunks_of(source: str, texts: list[str], collection: str = "books", **meta: Any) -> list[Document]:
    doc_id = doc_id_of(collection, source)
    return [
        Document(
            id=hashlib.sha256(f"{doc_id}{text}".encode()).hexdigest()[:32],
            content=text,
            meta={
                "doc_id": doc_id, "source": source, "doc_type": "markdown", "title": None, "section": "", "page": None,
                "pages": None, "start": 0, "end": len(text), "ordinal": ordinal, "language": detect_language(text),
                "sha256": "0" * 64, "size": len(text), "recipe": None, **meta,
            },
        )
        for ordinal, text in enumerate(texts)
    ]  # fmt: skip


@dataclass
class Library:
    chroma: StoreTemplate
    memory: StoreTemplate

    @property
    def catalog(self) -> Catalog:
        return open_catalog()

    def add(
        self,
        source: str,
        texts: list[str],
        collection: str = "books",
        embedder: Any = None,
        template: StoreTemplate | None = None,
        **meta: Any,
    ) -> list[Document]:
        self.catalog.collections.create(collection)
        chunks = chunks_of(source, texts, collection, **meta)
        embedded = CachedEmbedder(embedder or toy_embedders.ToyDocumentEmbedder()).run(chunks)
        CollectionWriter(template or self.chroma).run(**embedded, collection=collection, sources=[{"path": source}])
        return chunks


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setenv("KHUB_ALLOWED_MODULES", "toy_embedders")
    allow_deserialization_module("khub.components.*")
    toy_embedders.EMBEDDED.clear()
    chroma = StoreTemplate(
        retriever="haystack_integrations.components.retrievers.chroma.ChromaEmbeddingRetriever",
        store={
            "type": "khub.components.stores.chroma_store.ChromaStore",
            "init_parameters": {"collection_name": "{collection}", "persist_path": "{home}/dense/{collection}"},
        },
    )
    memory = StoreTemplate(
        retriever="haystack.components.retrievers.in_memory.InMemoryEmbeddingRetriever",
        store={
            "type": "haystack.document_stores.in_memory.InMemoryDocumentStore",
            "init_parameters": {
                "index": f"{uuid.uuid4()}-{{collection}}",
                "embedding_similarity_function": "cosine",
            },
        },
    )
    return Library(chroma, memory)


@pytest.fixture
def khub_fast() -> StaticModel:
    """Return the static model that ships."""
    loaded = load_model("khub-fast")
    assert isinstance(loaded, StaticModel)
    return loaded
