"""A small collection with random vectors, in real stores on disk."""

import hashlib
from dataclasses import dataclass, field

import numpy as np
import pytest
from haystack import Document
from haystack.core.serialization import allow_deserialization_module

from khub.components.catalog.catalog import Catalog, open_catalog
from khub.components.catalog.chunks import NewDocument
from khub.components.stores.index_writer import IndexWriter
from khub.components.stores.open_indexes import DenseReader, SparseReader, dense_reader, sparse_reader
from khub.components.stores.store_template import StoreTemplate
from khub.components.text.english_stem import stem
from khub.components.text.tokenizer import TOKENIZER_VERSION

DIMENSION = 32


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclass
class Shelf:
    """One collection, and short names for what tests do with it."""

    template: StoreTemplate
    name: str = "shelf"
    vectors: dict[str, list[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.catalog: Catalog = open_catalog()
        self.catalog.collections.create(self.name)
        self.binding = {
            "store": self.template.to_dict(),
            "embedder": {"fingerprint": "fp"},
            "tokenizer": TOKENIZER_VERSION,
        }
        self.catalog.collections.bind(self.name, self.binding)

    def document(self, name: str, texts: list[str]) -> NewDocument:
        doc_id, chunks = digest(f"{self.name}{name}"), []
        for ordinal, text in enumerate(texts):
            chunk_id, text_hash = digest(doc_id + text), digest(text)
            rng = np.random.default_rng(int(text_hash[:8], 16))
            vector = rng.standard_normal(DIMENSION).astype("<f4")
            self.vectors[chunk_id] = (vector / np.linalg.norm(vector)).tolist()
            meta = {
                "doc_id": doc_id, "source": f"/files/{name}.md", "doc_type": "markdown", "title": name, "section": "",
                "page": None, "pages": None, "start": 0, "end": len(text), "ordinal": ordinal, "language": "en",
                "sha256": digest("".join(texts)), "size": 1, "recipe": None, "text_hash": text_hash,
            }  # fmt: skip
            chunks.append(Document(id=chunk_id, content=text, embedding=self.vectors[chunk_id], meta=meta))
        self.catalog.vectors.put([(c.meta["text_hash"], c.embedding) for c in chunks], "fp")
        return NewDocument(doc_id, self.name, chunks[0].meta if chunks else {"source": name}, {}, chunks)

    def writer(self) -> IndexWriter:
        return IndexWriter(self.catalog, self.name, self.template, self.binding)

    def write(self, *documents: NewDocument) -> None:
        with self.writer().writing() as writer:
            writer.write(documents)

    def dense(self) -> DenseReader:
        return dense_reader(self.catalog, self.name, self.template)

    def sparse(self) -> SparseReader:
        return sparse_reader(self.catalog, self.name)

    def nearest(self, chunk_id: str, top_k: int = 5) -> list[str]:
        with self.dense().lease() as retriever:
            return [d.id for d in retriever.run(query_embedding=self.vectors[chunk_id], top_k=top_k)["documents"]]

    def by_words(self, *words: str) -> list[str]:
        terms = [stem(word) for word in words]
        return [chunk_id for chunk_id, _ in self.sparse().get().search(terms, 10)]

    def visible(self) -> set[str]:
        return self.catalog.chunks.visible_ids(self.name)


@pytest.fixture
def template() -> StoreTemplate:
    allow_deserialization_module("khub.components.*")
    return StoreTemplate(
        retriever="haystack_integrations.components.retrievers.chroma.ChromaEmbeddingRetriever",
        store={
            "type": "khub.components.stores.chroma_store.ChromaStore",
            "init_parameters": {"collection_name": "{collection}", "persist_path": "{home}/dense/{collection}"},
        },
    )


@pytest.fixture
def shelf(template: StoreTemplate) -> Shelf:
    return Shelf(template)
