"""Embed chunks once: the same text under the same model is looked up, not computed."""

import hashlib
import time
from dataclasses import replace
from typing import Any

import numpy as np
from haystack import Document, component, default_to_dict
from haystack.core.component import Component
from haystack.core.serialization import component_to_dict

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.collection_binding import EmbedderBinding
from khub.components.embedders.embedder_identity import document_fingerprint, identity_of
from khub.components.errors import KhubError
from khub.components.pace import next_size
from khub.components.text.chunk_text import embedded_text

IN_THE_HUB = {"progress_bar": False, "raise_on_failure": True}
"""Parameters of many embedders: the hub shows its own progress, and a text without a vector is an error of its own."""
FIRST_TEXTS = 64  # of each run; 512 would be half a minute's work of an embedder that does 20 in a second


@component
class CachedEmbedder:
    """Any Haystack document embedder behind the catalog's store of vectors.

    What is embedded is the chunk under its title and heading path. The key is the hash of exactly that text and the
    embedder's fingerprint, so that a renamed file, a repeated paragraph and an interrupted ingest cost nothing again.

    :param embedder: a component with `run(documents) -> {"documents": …}` that sets `embedding`.
    :param batch_size: texts given to the embedder at a time, at most; fewer of a slow one. After each the vectors are
        kept.
    :param question: parameters that the embedder has otherwise where it embeds a question, such as
        `{prefix: "query: "}`; the collection remembers them.
    """

    def __init__(self, embedder: Component, batch_size: int = 512, question: dict[str, Any] | None = None) -> None:
        self.embedder = embedder
        self.batch_size = batch_size
        self.question = question
        for name, value in IN_THE_HUB.items():
            if hasattr(embedder, name):
                setattr(embedder, name, value)

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds."""
        embedder = component_to_dict(self.embedder, "embedder")
        return default_to_dict(self, embedder=embedder, batch_size=self.batch_size, question=self.question)

    def warm_up(self) -> None:
        """Load the embedder's model."""
        warm_up = getattr(self.embedder, "warm_up", None)
        if warm_up is not None:
            warm_up()

    def binding(self) -> EmbedderBinding:
        """Return what a collection remembers: identity, fingerprint, the component, what is other for a question."""
        bound: EmbedderBinding = {
            "identity": identity_of(self.embedder),
            "fingerprint": document_fingerprint(self.embedder),
            "component": component_to_dict(self.embedder, "embedder"),
        }
        if self.question:
            bound["question"] = self.question
        return bound

    @component.output_types(documents=list[Document], embedder=dict[str, Any])
    def run(self, documents: list[Document]) -> dict[str, Any]:
        """Set the embedding of each chunk, and `text_hash` in its metadata.

        :returns: `documents` in the same order; `embedder` (see `binding`), with the reason under `replaced` where
            another model stands in for the one that the graph names.
        """
        binding = self.binding()
        texts = [embedded_text(document) for document in documents]
        hashes = [text_hash(text) for text in texts]
        vectors = self._vectors(dict(zip(hashes, texts, strict=True)), binding["fingerprint"])
        embedded = [
            replace(document, embedding=vectors[key], meta={**document.meta, "text_hash": key})
            for document, key in zip(documents, hashes, strict=True)
        ]
        replaced = getattr(self.embedder, "replaced", None)
        return {"documents": embedded, "embedder": {**binding, "replaced": replaced} if replaced else binding}

    def _vectors(self, texts: dict[str, str], fingerprint: str) -> dict[str, list[float]]:
        store = open_catalog().vectors
        known = {key: vector.tolist() for key, vector in store.get(list(texts), fingerprint).items()}
        missing = [key for key in texts if key not in known]
        size = min(FIRST_TEXTS, self.batch_size)
        while missing:
            keys, missing = missing[:size], missing[size:]
            begun = time.perf_counter()
            batch = [Document(id=key, content=texts[key]) for key in keys]
            embedded = _as_kept(self.embedder.run(documents=batch)["documents"])  # type: ignore[attr-defined]
            _refuse_unusable(embedded, keys, type(self.embedder).__name__)
            store.put(embedded.items(), fingerprint)
            known.update({key: vector.tolist() for key, vector in embedded.items()})
            size = next_size(len(keys), time.perf_counter() - begun, self.batch_size)
        return known


def text_hash(text: str) -> str:
    """Return the key of a text's vector: 32 hexadecimal characters of its sha256."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _as_kept(documents: list[Document]) -> dict[str, np.ndarray]:
    # float32, as they will be read back: a rebuilt index then equals the first one
    return {d.id: np.asarray([] if d.embedding is None else d.embedding, "<f4") for d in documents}


def _refuse_unusable(vectors: dict[str, np.ndarray], keys: list[str], embedder: str) -> None:
    """Raise if the embedder left out what it failed on: what is kept once would be served for ever."""
    lengths = {vectors[key].shape for key in keys if key in vectors}
    missing = sum(key not in vectors or not vectors[key].size for key in keys)
    unusable = any(not np.isfinite(vector).all() or not vector.any() for vector in vectors.values())
    if missing or len(lengths) != 1 or unusable:
        problem = (
            f"gave no vector for {missing} of {len(keys)} texts" if missing else "gave vectors that cannot be used"
        )
        raise KhubError(
            f"{embedder} {problem}", "see its own messages in the log, then ingest again", code="embedding_failed"
        )
