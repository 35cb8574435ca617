"""Embedders that need no model: bags of words, hashed into a few dimensions."""

import hashlib
import threading
from dataclasses import replace

import numpy as np
from haystack import Document, component

from khub.components.text.tokenizer import tokenize

DIMENSION = 64
EMBEDDED: list[str] = []  # every text that a document embedder was given


def vector_of(model: str, text: str) -> list[float]:
    vector = np.zeros(DIMENSION)
    for token in tokenize(text):
        seed = hashlib.sha256(f"{model} {token}".encode()).digest()
        vector += np.random.default_rng(list(seed[:8])).standard_normal(DIMENSION)
    return (vector / max(float(np.linalg.norm(vector)), 1e-9)).tolist()


@component
class ToyDocumentEmbedder:
    def __init__(
        self, model: str = "toy", prefix: str = "", languages: list[str] | None = None, batch: int = 1
    ) -> None:
        self.model = model
        self.prefix = prefix
        self.languages = languages or []
        self.batch = batch

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        EMBEDDED.extend(str(document.content) for document in documents)
        return {
            "documents": [replace(d, embedding=vector_of(self.model, f"{self.prefix}{d.content}")) for d in documents]
        }


@component
class ToyTextEmbedder:
    def __init__(self, model: str = "toy", prefix: str = "", languages: list[str] | None = None) -> None:
        self.model = model
        self.prefix = prefix
        self.languages = languages or []
        self.warmed = 0

    def warm_up(self) -> None:
        self.warmed += 1

    @component.output_types(embedding=list[float])
    def run(self, text: str) -> dict[str, list[float]]:
        return {"embedding": vector_of(self.model, f"{self.prefix}{text}")}


@component
class SuffixedDocumentEmbedder(ToyDocumentEmbedder):
    """Puts something behind a text, which the text embedder of its name cannot."""

    def __init__(self, suffix: str = "") -> None:
        ToyDocumentEmbedder.__init__(self)
        self.suffix = suffix


@component
class SuffixedTextEmbedder(ToyTextEmbedder):
    """Cannot put anything behind a text."""


@component
class LonelyDocumentEmbedder(ToyDocumentEmbedder):
    """Has no text embedder of its name."""


LOADS, LOADED = threading.Event(), threading.Event()
"""What a `SlowTextEmbedder` sets when it begins to be loaded, and what it waits for until it is."""


@component
class SlowDocumentEmbedder(ToyDocumentEmbedder):
    """Fills a collection whose questions are embedded by a `SlowTextEmbedder`."""


@component
class SlowTextEmbedder(ToyTextEmbedder):
    """Takes its time to be loaded."""

    def warm_up(self) -> None:
        LOADS.set()
        LOADED.wait(20)
