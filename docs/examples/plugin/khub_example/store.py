"""Vectors in one file of numpy: each search compares with all of them."""

import os
from pathlib import Path
from typing import Any

import numpy as np
from haystack import Document, component, default_from_dict, default_to_dict
from haystack.document_stores.types import DuplicatePolicy


class NumpyStore:
    """Keeps Haystack's protocol of a document store; what else a store may offer is in `store_protocol.py`.

    :param path: folder of the file.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._file = Path(path) / "vectors.npz"

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds."""
        return default_to_dict(self, path=self.path)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "NumpyStore":
        """Load from what a graph holds."""
        return default_from_dict(cls, data)

    def count_documents(self) -> int:
        """Return how many there are."""
        return len(self.read())

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:  # noqa: ARG002
        """Return all of them: the hub filters by its catalog."""
        return [Document(id=key, embedding=vector.tolist()) for key, vector in self.read().items()]

    def write_documents(self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.OVERWRITE) -> int:  # noqa: ARG002
        """Write embeddings under the documents' ids."""
        self._write(self.read() | {one.id: np.asarray(one.embedding, "<f4") for one in documents})
        return len(documents)

    def delete_documents(self, document_ids: list[str]) -> None:
        """Delete by id."""
        gone = set(document_ids)
        self._write({key: vector for key, vector in self.read().items() if key not in gone})

    def read(self) -> dict[str, np.ndarray]:
        """Return the vector of each document."""
        if not self._file.is_file():
            return {}
        with np.load(self._file) as kept:
            return dict(zip(kept["ids"].tolist(), kept["vectors"], strict=True))

    def _write(self, vectors: dict[str, np.ndarray]) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self._file.with_suffix(f".{os.getpid()}.npz")
        np.savez(unfinished, ids=np.array(list(vectors), dtype=str), vectors=np.array(list(vectors.values()), "<f4"))
        unfinished.replace(self._file)


@component
class NumpyRetriever:
    """Finds the nearest vectors of a `NumpyStore`."""

    def __init__(self, document_store: NumpyStore) -> None:
        self.document_store = document_store

    @component.output_types(documents=list[Document])
    def run(self, query_embedding: list[float], top_k: int = 10) -> dict[str, list[Document]]:
        """Return ids and cosines, best first."""
        found = self.document_store.read()
        if not found:
            return {"documents": []}
        matrix, vector = np.stack(list(found.values())), np.asarray(query_embedding, "<f4")
        cosines = matrix @ vector / (np.linalg.norm(matrix, axis=1) * np.linalg.norm(vector))
        best = np.argsort(-cosines)[:top_k]
        return {"documents": [Document(id=list(found)[place], score=float(cosines[place])) for place in best]}
