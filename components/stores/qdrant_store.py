"""Qdrant behind Haystack's store protocol, embedded or as a server, holding vectors alone."""

import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from haystack import Document, default_from_dict, default_to_dict
from haystack.document_stores.types import DuplicatePolicy
from haystack.utils.auth import Secret
from haystack_integrations.document_stores.qdrant import QdrantDocumentStore
from qdrant_client import QdrantClient

from khub.components.errors import StoreError

ONE_PROCESS = "try again when it has ended, or name a Qdrant server in the graph"
PATIENCE_S = 2.0  # others have it for a question, or for a batch of documents
POLL_S = 0.05


@dataclass
class _Shared:
    """The one client that a process can have for a folder, how many stores use it, and whose turn it is."""

    client: QdrantClient
    users: int = 0
    turn: Any = field(default_factory=threading.RLock)


_shared: dict[str, _Shared] = {}
_opening = threading.Lock()


class QdrantStore(QdrantDocumentStore):
    """A `QdrantDocumentStore` that can be dropped; one process may write an embedded one while it asks it.

    Only ids and embeddings are stored: the text stands in the catalog, and what a search returns is looked up there.

    :param index: name of the Qdrant collection.
    :param embedding_dim: of the vectors.
    :param path: folder of an embedded Qdrant, which one process at a time can have; or give the `url` of a server.
    :param url: of a server, `http://HOST:6333`.
    :param api_key: of the server.
    :param timeout: seconds that a request to the server may take.
    :param hnsw_config: of the server's index: `m`, `ef_construct` and others.
    :raises StoreError: if another process has the folder.
    """

    _client: Any

    def __init__(
        self,
        index: str,
        embedding_dim: int,
        path: str | None = None,
        url: str | None = None,
        api_key: Secret | None = None,
        timeout: int | None = None,
        hnsw_config: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(
            index=index,
            embedding_dim=embedding_dim,
            path=path,
            url=url,
            api_key=api_key,
            timeout=timeout,
            hnsw_config=hnsw_config,
            progress_bar=False,
        )
        self._folder = str(Path(path).resolve()) if path else None
        if path:
            self._initialize_client()

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds."""
        return default_to_dict(
            self,
            index=self.index,
            embedding_dim=self.embedding_dim,
            path=self.path,
            url=self.url,
            api_key=self.api_key.to_dict() if self.api_key else None,
            timeout=self.timeout,
            hnsw_config=self.hnsw_config,
        )

    @property
    def alone(self) -> bool:
        """Whether one process at a time can have it open."""
        return self._folder is not None

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "QdrantStore":
        """Load from what a graph holds."""
        return default_from_dict(cls, data)

    def write_documents(self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.FAIL) -> int:
        """Write embeddings under the documents' ids, as the class above does."""
        with self._turn():
            written: int = super().write_documents(documents, policy)
        return written

    def delete_documents(self, document_ids: list[str]) -> None:
        """Delete by id; unknown ids are passed over."""
        with self._turn():
            super().delete_documents(document_ids)

    def filter_documents(self, filters: Any = None) -> list[Document]:
        """Return the documents that a filter lets through."""
        with self._turn():
            documents: list[Document] = super().filter_documents(filters)
        return documents

    def drop(self) -> None:
        """Drop the collection."""
        with self._turn() as client:
            client.delete_collection(self.index)

    def close(self) -> None:
        """Close the connection, or with the last one of a folder its client; the next call opens it anew."""
        if self._folder is None:
            super().close()
            return
        with _opening:
            if self._client is not None:
                self._client = None
                _leave(self._folder)

    def _query_by_embedding(self, *given: Any, **named: Any) -> list[Document]:
        with self._turn():
            found: list[Document] = super()._query_by_embedding(*given, **named)
        return found

    @contextlib.contextmanager
    def _turn(self) -> Iterator[QdrantClient]:
        """Keep the other threads out of an embedded Qdrant, which bears no search beside a change."""
        self._initialize_client()
        assert self._client is not None
        with _shared[self._folder].turn if self._folder else contextlib.nullcontext():
            yield self._client

    def _initialize_client(self) -> None:
        if self._client is not None:
            return
        if self._folder is None:
            super()._initialize_client()
            return
        with _opening:
            if self._client is None:
                shared = _shared.get(self._folder)
                if shared is None:
                    shared = _shared[self._folder] = _Shared(_client_of(self._folder))
                shared.users += 1
                self._client = shared.client
                try:
                    with shared.turn:
                        self._set_up_collection(
                            self.index, self.embedding_dim, False, self.similarity, False, False, self.on_disk
                        )
                except BaseException:
                    self._client = None
                    _leave(self._folder)  # nobody can close a store that could not be opened
                    raise


def _leave(folder: str) -> None:
    shared = _shared[folder]
    shared.users -= 1
    if not shared.users:
        del _shared[folder]
        shared.client.close()


def _client_of(folder: str) -> QdrantClient:
    patience = time.monotonic() + PATIENCE_S
    while True:
        try:
            return QdrantClient(path=folder, force_disable_check_same_thread=True)
        except RuntimeError as error:
            if "already accessed" not in str(error):
                raise
            if time.monotonic() > patience:
                raise StoreError(
                    f"another process has the embedded Qdrant in {folder}", ONE_PROCESS, code="lock_held"
                ) from error
            time.sleep(POLL_S)
