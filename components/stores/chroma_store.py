"""Chroma behind Haystack's store protocol, writing in batches and holding vectors alone."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from chromadb.api.shared_system_client import SharedSystemClient
from haystack import Document, default_from_dict, default_to_dict
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy
from haystack_integrations.document_stores.chroma import ChromaDocumentStore

from khub.components.errors import StoreError

BATCH_SIZE = 1000  # Chroma refuses more than about 5,000 records at once
PLACEHOLDERS = ("data_level0.bin", "length.bin", "link_lists.bin")  # beside the header, whose numbers tell nothing


class ChromaStore(ChromaDocumentStore):
    """A `ChromaDocumentStore` that upserts in batches (the stock one sends one document a call).

    Only ids and embeddings are stored: the text stands in the catalog, and what a search returns is looked up there.

    :param collection_name: name of the Chroma collection.
    :param persist_path: folder of an embedded Chroma; or give `host` and `port` of a server.
    :param distance_function: `cosine`, `l2` or `ip`.
    :param sync_threshold: number of new vectors after which an embedded Chroma writes its index files. Until then
        they are replayed from its log whenever it is opened.
    :param links: links of each vector in the HNSW graph (its M). Chroma's own 16 leaves some chunks that no search
        reaches.
    :param construction_ef: candidates considered while a vector is linked: higher is slower to write, better to search.
    :param search_ef: candidates considered by a search: higher is slower and more exact.
    """

    def __init__(
        self,
        collection_name: str,
        persist_path: str | None = None,
        host: str | None = None,
        port: int | None = None,
        distance_function: Literal["l2", "cosine", "ip"] = "cosine",
        sync_threshold: int = 1000,
        links: int = 32,
        construction_ef: int = 200,
        search_ef: int = 400,
    ) -> None:
        self.sync_threshold = sync_threshold
        self.links = links
        self.construction_ef = construction_ef
        self.search_ef = search_ef
        self._loaded = False
        super().__init__(
            collection_name=collection_name,
            persist_path=persist_path,
            host=host,
            port=port,
            distance_function=distance_function,
            metadata={
                "hnsw:space": distance_function,
                "hnsw:sync_threshold": sync_threshold,
                "hnsw:M": links,
                "hnsw:construction_ef": construction_ef,
                "hnsw:search_ef": search_ef,
            },
            client_settings={"anonymized_telemetry": False},
        )

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds."""
        return default_to_dict(
            self,
            collection_name=self._collection_name,
            persist_path=self._persist_path,
            host=self._host,
            port=self._port,
            distance_function=self._distance_function,
            sync_threshold=self.sync_threshold,
            links=self.links,
            construction_ef=self.construction_ef,
            search_ef=self.search_ef,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "ChromaStore":
        """Load from what a graph holds."""
        return default_from_dict(cls, data)

    @property
    def folder(self) -> Path | None:
        """Folder of an embedded Chroma."""
        return Path(self._persist_path) if self._persist_path else None

    def index_files(self) -> list[Path]:
        """Return the files that only writes change, in a fixed order.

        Opening changes chroma.sqlite3; and an index that was never saved (fewer vectors than `sync_threshold`) has only
        placeholders, which every opening makes anew.
        """
        if self.folder is None:
            return []
        saved = [file.parent for file in self.folder.glob("*/index_metadata.pickle")]
        return sorted(file for folder in saved for file in folder.iterdir())

    def write_documents(self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE) -> int:
        """Write embeddings under the documents' ids.

        :param policy: `OVERWRITE` replaces; `SKIP` leaves known ids; `FAIL` and `NONE` raise on a known id.
        :raises DuplicateDocumentError: if a document is known and the policy says so.
        :returns: the number of documents written.
        """
        if policy != DuplicatePolicy.OVERWRITE:
            known = set(self.collection.get(ids=[d.id for d in documents], include=[])["ids"]) if documents else set()
            if known and policy != DuplicatePolicy.SKIP:
                raise DuplicateDocumentError(f"documents {sorted(known)} are in the store already")
            documents = [d for d in documents if d.id not in known]
        for start in range(0, len(documents), BATCH_SIZE):
            batch = documents[start : start + BATCH_SIZE]
            embeddings: Any = [d.embedding for d in batch]
            self.collection.upsert(ids=[d.id for d in batch], embeddings=embeddings)
        self._blank_placeholders()
        return len(documents)

    def delete_documents(self, document_ids: list[str]) -> None:
        """Delete by id; unknown ids are passed over."""
        for start in range(0, len(document_ids), BATCH_SIZE):
            self.collection.delete(ids=document_ids[start : start + BATCH_SIZE])
        self._blank_placeholders()

    def search_embeddings(
        self, query_embeddings: list[list[float]], top_k: int, filters: dict[str, Any] | None = None
    ) -> list[list[Document]]:
        """Return the nearest ids of each query; `score` is Chroma's distance (0 = same direction for cosine)."""
        try:
            if filters:
                return super().search_embeddings(query_embeddings, top_k, filters)
            return self._search_all(query_embeddings, top_k)
        finally:
            self._blank_once_loaded()

    def _search_all(self, query_embeddings: list[list[float]], top_k: int) -> list[list[Document]]:
        vectors: Any = query_embeddings
        result = self.collection.query(query_embeddings=vectors, n_results=top_k, include=["distances"])
        distances = result["distances"] or []
        return [
            [Document(id=i, score=d) for i, d in zip(ids, scores, strict=True)]
            for ids, scores in zip(result["ids"], distances, strict=True)
        ]

    def drop(self) -> None:
        """Drop the collection."""
        self._ensure_initialized()
        assert self._client is not None
        self._client.delete_collection(self._collection_name)
        self._collection = None

    def close(self) -> None:
        """Close the client; the next call opens it anew."""
        client: Any = self._client
        super().close()
        if client is not None and self._host:
            _close_connections(client)
        self._loaded = False

    def _blank_once_loaded(self) -> None:
        """Blank the placeholders that the first search or look at a vector makes, as it loads the index."""
        if not self._loaded:
            self._blank_placeholders()
            self._loaded = True

    def _blank_placeholders(self) -> None:
        """Zero the files of an index that was never saved: Chroma leaves in them what its memory held before.

        That can be anything the process has freed: an API key, a question, a passage of another collection. A saved
        index holds its vectors alone. Call it while nobody else writes the index.
        """
        for header in self.folder.glob("*/header.bin") if self.folder else []:
            if not (header.parent / "index_metadata.pickle").exists():
                for name in PLACEHOLDERS:
                    file = header.parent / name
                    file.write_bytes(bytes(file.stat().st_size))

    def ids(self) -> Iterator[str]:
        """Yield all ids."""
        offset = 0
        while batch := self.collection.get(include=[], limit=BATCH_SIZE, offset=offset)["ids"]:
            yield from batch
            offset += len(batch)

    def vectors(self, ids: Sequence[str]) -> dict[str, np.ndarray]:
        """Return what is stored under these ids, each of shape (dimension,); with cosine, at unit length."""
        found: dict[str, np.ndarray] = {}
        try:
            for start in range(0, len(ids), BATCH_SIZE):
                batch = self.collection.get(ids=list(ids[start : start + BATCH_SIZE]), include=["embeddings"])
                found.update(zip(batch["ids"], np.asarray(batch["embeddings"], "<f4"), strict=True))
            return found
        finally:
            self._blank_once_loaded()

    @property
    def collection(self) -> Any:
        """The Chroma collection, opened (and made, if it is new) at first use."""
        self._ensure_initialized()
        return self._collection

    def _ensure_initialized(self) -> None:
        """Open the collection, unless it names an embedding function.

        Chroma builds what a collection names, code of its model included, even for a write that brings vectors. The
        hub makes no such collection: the folder, or the server, is another's.

        :raises StoreError: naming the function.
        """
        if self._collection is not None:
            return
        super()._ensure_initialized()
        opened: Any = self._collection
        if named := _embedding_function((opened.configuration_json, opened._model.serialized_schema)):
            self.close()
            raise StoreError(
                f"Chroma collection {self._collection_name!r} names the embedding function {named!r}, whose model may "
                "hold code that runs here; the hub made no such collection",
                "make the index anew with khub reindex, if the rest of the hub is yours",
            )


def _embedding_function(stored: Any) -> str | None:
    """Return the name of an embedding function that Chroma would build from what it stores of a collection."""
    if isinstance(stored, dict):
        function = stored.get("embedding_function")
        if isinstance(function, dict) and function.get("name", "default") != "default":
            return str(function["name"])
        stored = list(stored.values())
    if isinstance(stored, list | tuple):
        return next((name for name in map(_embedding_function, stored) if name), None)
    return None


def _close_connections(client: Any) -> None:
    """Close what a closed client of a server leaves open: its connections, and its entry among all clients."""
    servers = [part._server for part in (client, client._admin_client)]
    for server in servers:
        server._session.close()
    systems = [server._system for server in servers]
    for key, system in list(SharedSystemClient._identifier_to_system.items()):
        if system in systems:
            SharedSystemClient._identifier_to_system.pop(key, None)
