"""Milvus behind Haystack's store protocol, as a server or as a file (Milvus Lite), holding vectors alone."""

import logging
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from haystack import Document, default_to_dict
from haystack.document_stores.types import DuplicatePolicy
from milvus_haystack import MilvusDocumentStore
from milvus_haystack.filters import parse_filters
from milvus_haystack.function import BM25BuiltInFunction
from pymilvus import MilvusException
from pymilvus.exceptions import ConnectionConfigException

from khub.components.errors import StoreError
from khub.components.text.masked_secrets import without_secrets

BATCH_SIZE = 1000
WORDS = "words"
"""The field of what BM25 reads."""
BM25 = {"k1": 1.2, "b": 0.75}
MOST_CHARACTERS = 65_535  # of a VARCHAR
MOST_HITS = 10_000
FILE = ".db"  # what a URI of Milvus Lite ends in
OF_FILE = {"params": {"ef": 200}}
ONE_PROCESS = "try again when the process that has it has ended, or name a Milvus server in the graph"
NO_FOLDER = "make the folder, or rebuild what was in it: khub doctor --repair"
PATIENCE_S = 2.0  # others have it for a question, or for a batch of documents
POLL_S = 0.05

logging.getLogger("milvus_lite").setLevel(logging.CRITICAL)  # it writes the traceback of what is told in a line
logging.getLogger("pymilvus").setLevel(logging.ERROR)

_users: Counter[str] = Counter()
"""Open stores by file. The process has one Milvus Lite for each, which holds the file until it is ended."""
_opening = threading.Lock()


class MilvusStore(MilvusDocumentStore):
    """A `MilvusDocumentStore` that compares by cosine, and that can be closed.

    Only ids and embeddings are stored: the text stands in the catalog, and what a search returns is looked up there.
    With `keywords`, the words of each document, too, of which Milvus makes what its BM25 reads.

    :param collection_name: name of the Milvus collection.
    :param connection_args: `uri` of a server, or of a file that ends in `.db`; `token` and others of `MilvusClient`.
    :param index_params: `index_type` and `params` of the index.
    :param search_params: `params` of a search; for a file `{ef: 200}` if none are given, as 64, which it would take,
        misses 3 of 100.
    :param keywords: parameters of BM25, `{k1, b}`, where the content of documents is to be searched, too: words of
        ASCII letters and digits, of which a text keeps `MOST_CHARACTERS`.
    :raises StoreError: if Milvus cannot be reached, the file's folder is missing, or another process has the file.
    """

    def __init__(
        self,
        collection_name: str,
        connection_args: dict[str, Any],
        index_params: dict[str, Any] | None = None,
        search_params: dict[str, Any] | None = None,
        keywords: dict[str, float] | None = None,
    ) -> None:
        self._given: dict[str, Any] = {"index_params": index_params, "search_params": search_params}
        self._given |= {"keywords": keywords} if keywords is not None else {}
        uri = str(connection_args.get("uri"))
        self._file = str(Path(uri).absolute()) if uri.endswith(FILE) else None
        if self._file and not (folder := Path(self._file).parent).is_dir():
            raise StoreError(
                f"Milvus cannot be opened at {uri} (there is no folder {folder})", NO_FOLDER, code="store_unreachable"
            )
        with _opening:
            patience = time.monotonic() + (PATIENCE_S if self._file else 0)
            while True:
                try:
                    super().__init__(
                        collection_name=collection_name,
                        connection_args={**connection_args, "dedicated": True},  # a shared connection is never closed
                        index_params={"index_type": "AUTOINDEX", **(index_params or {}), "metric_type": "COSINE"},
                        search_params={**(search_params or (OF_FILE if self._file else {})), "metric_type": "COSINE"},
                        consistency_level="Strong",  # what another process has just written is found
                        **_of_words(keywords),
                    )
                    break
                except (MilvusException, ConnectionConfigException) as error:
                    if time.monotonic() > patience:
                        remedy = ONE_PROCESS if self._file else "start the server, and name its address in the graph"
                        told = without_secrets(f"Milvus cannot be opened at {uri} ({error.message})")
                        raise StoreError(told, remedy, code="store_unreachable") from error
                    time.sleep(POLL_S)
            self.connection_args = connection_args
            self._closed = self._written = False
            if self._file:
                _users[self._file] += 1

    @property
    def alone(self) -> bool:
        """Whether one process at a time can have it open."""
        return self._file is not None

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds."""
        arguments = super().to_dict()["init_parameters"]["connection_args"]
        return default_to_dict(self, collection_name=self.collection_name, connection_args=arguments, **self._given)

    def write_documents(self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE) -> int:
        """Write embeddings under the documents' ids.

        :param policy: `OVERWRITE` replaces; Milvus has no other.
        :returns: the number of documents written.
        """
        with_words = "keywords" in self._given
        bare = [
            Document(
                id=d.id,
                content=_cut(d.content or "") if with_words else "",
                embedding=d.embedding,
                meta=d.meta if with_words else {},
            )
            for d in documents
        ]
        self._written = True
        found: int = super().write_documents(bare, policy)
        return found

    def delete_documents(self, document_ids: list[str]) -> None:
        """Delete by id; unknown ids are passed over."""
        for start in range(0, len(document_ids), BATCH_SIZE):
            super().delete_documents(document_ids[start : start + BATCH_SIZE])

    def ids(self) -> Iterator[str]:
        """Yield all ids."""
        if self._collection_exists:
            rows = self.client.query_iterator(
                self.collection_name, batch_size=BATCH_SIZE, output_fields=[self._primary_field]
            )
            while batch := rows.next():
                yield from (row[self._primary_field] for row in batch)
            rows.close()

    def vectors(self, ids: Sequence[str]) -> dict[str, np.ndarray]:
        """Return what is stored under these ids, each of shape (dimension,)."""
        found: dict[str, np.ndarray] = {}
        for start in range(0, len(ids) if self._collection_exists else 0, BATCH_SIZE):
            part = list(ids[start : start + BATCH_SIZE])
            rows = self.client.get(self.collection_name, part, output_fields=[self._vector_field])
            found.update((row[self._primary_field], np.asarray(row[self._vector_field], "<f4")) for row in rows)
        return found

    def drop(self) -> None:
        """Drop the collection."""
        if self._collection_exists:
            self._drop_collection()

    def close(self) -> None:
        """Close the connection, and with the last one of a file its Milvus Lite; the store is of no use after that."""
        with _opening:
            if self._closed:
                return
            self._closed = True
            if self._file and self._written and _users[self._file] > 1:
                self.client.flush(self.collection_name)  # what lies in its memory is searched fifty times as slowly
            self.client.close()
            if self._file:
                _users[self._file] -= 1
                if not _users[self._file]:
                    del _users[self._file]
                    _end(self._file)

    def _embedding_retrieval(
        self,
        query_embedding: list[float],
        filters: dict[str, Any] | None = None,
        top_k: int = 10,
        query_text: str | None = None,  # noqa: ARG002 - of the class above
    ) -> list[Document]:
        """Return the nearest ids; the stock search reads all fields, vectors too, of each."""
        if not self._collection_exists:
            return []
        (hits,) = self.client.search(
            self.collection_name,
            data=[query_embedding],
            anns_field=self._vector_field,
            search_params=self.search_params,
            limit=top_k,
            filter=parse_filters(filters) if filters else "",
            output_fields=[self._primary_field],  # else Milvus Lite sends the words, too
        )
        return [Document(id=hit.id, score=hit.distance) for hit in hits]

    def _sparse_embedding_retrieval(
        self,
        query_sparse_embedding: Any,  # noqa: ARG002 - of the class above
        filters: dict[str, Any] | None = None,
        top_k: int = 10,
        query_text: str | None = None,
    ) -> list[Document]:
        """Return the ids of what holds the words; the stock search reads all fields."""
        (hits,) = self._with_words([query_text or ""], top_k, parse_filters(filters) if filters else "")
        return [Document(id=hit.id, score=abs(hit.distance)) for hit in hits]  # Milvus Lite tells it below 0

    def count_words(self, words: Sequence[str]) -> dict[str, int]:
        """Return the number of documents that hold each word: its hits, and where they are many, by a count."""
        found = dict(zip(words, map(len, self._with_words(list(words), MOST_HITS)), strict=True))
        return found | {word: self._count(word) for word, count in found.items() if count == MOST_HITS}

    def _count(self, word: str) -> int:
        match = f"text_match({self._text_field}, '{word}')"
        return int(self.client.query(self.collection_name, filter=match, output_fields=["count(*)"])[0]["count(*)"])

    def _with_words(self, texts: list[str], top_k: int, within: str = "") -> list[Any]:
        if not self._collection_exists or not texts:
            return [[] for _ in texts]
        return list(
            self.client.search(
                self.collection_name,
                data=texts,
                anns_field=WORDS,
                search_params={"metric_type": "BM25"},
                limit=top_k,
                filter=within,
                output_fields=[self._primary_field],
            )
        )


def _of_words(keywords: dict[str, float] | None) -> dict[str, Any]:
    """Return what makes Milvus index the words of a text."""
    if keywords is None:
        return {}
    return {
        "sparse_vector_field": WORDS,
        "builtin_function": BM25BuiltInFunction(
            output_field_names=WORDS, analyzer_params={"tokenizer": "standard"}, enable_match=True, function_name="bm25"
        ),
        "sparse_index_params": {
            "index_type": "SPARSE_INVERTED_INDEX",
            "metric_type": "BM25",
            "params": {f"bm25_{name}": value for name, value in {**BM25, **keywords}.items()},
        },
    }


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else text[:MOST_CHARACTERS].rpartition(" ")[0]


def _end(file: str) -> None:
    from milvus_lite.server_manager import server_manager_instance

    server_manager_instance.release_server(file)
