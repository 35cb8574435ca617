"""Plain Haystack: an `InMemoryDocumentStore` with both of its retrievers, joined by reciprocal rank fusion."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from haystack import Document, Pipeline
from haystack.components.joiners import DocumentJoiner
from haystack.components.retrievers import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from haystack.document_stores.in_memory import InMemoryDocumentStore

from khub.components.embedders.document_embedder import DocumentEmbedder
from khub.components.embedders.text_embedder import TextEmbedder
from khub.eval.lab.comparison.chunk import Chunk, by_number
from khub.eval.lab.comparison.system import LEG_TOP_K, MODEL, Clock, Found

BATCH = 1000
FILE = "store.json"


class HaystackSystem:
    """All is in memory; `save_to_disk` keeps texts, metadata and vectors as JSON, from which each process builds BM25.

    The store has its default settings: its tokenizer cuts Chinese into characters.

    :param folder: of the JSON file.
    :param clock: told `embed` and `save`.
    """

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock
        self._store: Any = None
        self._embedder: Any = None
        self._pipeline: Any = None

    def batches(self, chunks: Iterable[Chunk]) -> Iterator[list[Chunk]]:
        """Yield a thousand chunks at a time."""
        return by_number(chunks, BATCH)

    def prepare(self) -> None:
        """Load the model."""
        self._store = InMemoryDocumentStore(return_embedding=False)
        self._embedder = DocumentEmbedder(model=MODEL)
        self._embedder.warm_up()

    def add(self, chunks: Sequence[Chunk]) -> None:
        """Embed and write."""
        # without metadata: the text has its title and heading path already, which the embedder would put before it
        texts = [Document(content=chunk.text) for chunk in chunks]
        with self._clock.part("embed"):
            embedded = self._embedder.run(texts)["documents"]
        pairs = zip(chunks, embedded, strict=True)
        self._store.write_documents(
            [Document(id=c.id, content=c.text, meta=c.meta, embedding=document.embedding) for c, document in pairs]
        )

    def finish(self) -> None:
        """Save."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with self._clock.part("save"):
            self._store.save_to_disk(str(self._folder / FILE))

    def open(self) -> None:
        """Load the store, and build the pipeline."""
        self._store = InMemoryDocumentStore.load_from_disk(str(self._folder / FILE))
        pipeline = Pipeline()
        pipeline.add_component("embed", TextEmbedder(model=MODEL))
        pipeline.add_component("dense", InMemoryEmbeddingRetriever(self._store, top_k=LEG_TOP_K))
        pipeline.add_component("sparse", InMemoryBM25Retriever(self._store, top_k=LEG_TOP_K))
        pipeline.add_component("join", DocumentJoiner(join_mode="reciprocal_rank_fusion"))
        pipeline.connect("embed.embedding", "dense.query_embedding")
        pipeline.connect("dense.documents", "join.documents")
        pipeline.connect("sparse.documents", "join.documents")
        pipeline.warm_up()
        self._pipeline = pipeline

    def search(self, question: str, top_k: int) -> Found:
        """Run the pipeline."""
        inputs = {"embed": {"text": question}, "sparse": {"query": question}, "join": {"top_k": top_k}}
        documents = self._pipeline.run(inputs)["join"]["documents"]
        return Found([document.id for document in documents], {}, False)
