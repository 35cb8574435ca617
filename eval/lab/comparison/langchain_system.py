"""LangChain: `EnsembleRetriever` over `BM25Retriever` and a persistent Chroma."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from langchain_chroma import Chroma
from langchain_classic.retrievers import EnsembleRetriever
from langchain_community.retrievers import BM25Retriever
from langchain_core.embeddings import Embeddings

from khub.components.embedders.model_folder import load_model
from khub.components.text.tokenizer import tokenize
from khub.eval.lab.comparison.chunk import Chunk, by_number
from khub.eval.lab.comparison.system import LEG_TOP_K, MODEL, Clock, Found

BATCH = 1000
COLLECTION = "bench"
PAGE = 5000


class HubEmbeddings(Embeddings):
    """The hub's model behind LangChain's interface.

    :param clock: told `embed`.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._model = load_model(MODEL)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed chunks."""
        with self._clock.part("embed"):
            vectors: list[list[float]] = self._model.encode(texts).tolist()
            return vectors

    def embed_query(self, text: str) -> list[float]:
        """Embed a question."""
        vector: list[float] = self._model.encode([text])[0].tolist()
        return vector


class LangChainSystem:
    """Chroma keeps texts, metadata and vectors on disk; the BM25 index lives in memory and is built by each process.

    Chroma has its default settings, with cosine. BM25 gets the hub's tokenizer: the default one cuts at spaces, which
    Chinese does not have.

    :param folder: of Chroma.
    :param clock: told `embed`, `keyword` (the BM25 index is built) and, as a part of that, `tokenize`.
    """

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock
        self._chroma: Any = None
        self._retriever: Any = None
        self._texts: list[str] = []
        self._metadatas: list[dict[str, Any]] = []

    def batches(self, chunks: Iterable[Chunk]) -> Iterator[list[Chunk]]:
        """Yield a thousand chunks at a time."""
        return by_number(chunks, BATCH)

    def prepare(self) -> None:
        """Load the model and open Chroma."""
        self._chroma = Chroma(
            collection_name=COLLECTION,
            embedding_function=HubEmbeddings(self._clock),
            persist_directory=str(self._folder),
            collection_configuration={"hnsw": {"space": "cosine"}},
        )

    def add(self, chunks: Sequence[Chunk]) -> None:
        """Embed and upsert into Chroma."""
        texts = [chunk.text for chunk in chunks]
        metadatas = [_metadata(chunk) for chunk in chunks]
        self._chroma.add_texts(texts, metadatas=metadatas, ids=[chunk.id for chunk in chunks])
        self._texts += texts
        self._metadatas += metadatas

    def finish(self) -> None:
        """Build the BM25 index."""
        self._build(self._texts, self._metadatas)

    def open(self) -> None:
        """Open Chroma, and build the BM25 index of the texts in it."""
        self.prepare()
        texts: list[str] = []
        metadatas: list[dict[str, Any]] = []
        while (page := self._page(len(texts)))["ids"]:
            texts += page["documents"]
            metadatas += page["metadatas"]
        self._build(texts, metadatas)

    def search(self, question: str, top_k: int) -> Found:
        """Ask both retrievers, one after the other, and fuse their ranks."""
        documents = self._retriever.invoke(question)[:top_k]
        return Found([document.metadata["chunk_id"] for document in documents], {}, False)

    def _page(self, offset: int) -> dict[str, Any]:
        page: dict[str, Any] = self._chroma.get(limit=PAGE, offset=offset, include=["documents", "metadatas"])
        return page

    def _build(self, texts: list[str], metadatas: list[dict[str, Any]]) -> None:
        with self._clock.part("keyword"):
            bm25 = BM25Retriever.from_texts(texts, metadatas, preprocess_func=self._tokenize, k=LEG_TOP_K)
        dense = self._chroma.as_retriever(search_kwargs={"k": LEG_TOP_K})
        self._retriever = EnsembleRetriever(retrievers=[bm25, dense], weights=[0.5, 0.5], id_key="chunk_id")

    def _tokenize(self, text: str) -> list[str]:
        with self._clock.part("tokenize"):
            return tokenize(text)


def _metadata(chunk: Chunk) -> dict[str, Any]:
    """Return what a citation needs; Chroma takes plain values alone."""
    kept = {key: chunk.meta.get(key) for key in ("source", "title", "section", "page")}
    return {"chunk_id": chunk.id, **{key: value for key, value in kept.items() if value is not None}}
