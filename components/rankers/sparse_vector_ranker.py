"""Rank passages by sparse vectors of a model, such as SPLADE."""

from dataclasses import replace
from typing import Any

from haystack import Document, component, default_to_dict
from haystack.core.component import Component
from haystack.core.serialization import component_to_dict
from haystack.dataclasses import SparseEmbedding

from khub.components.text.chunk_text import embedded_text


@component
class SparseVectorRanker:
    """Embeds the question and each passage when the question is asked; it belongs into a `BoundedRanker`.

    The score is the product of both vectors. Nothing of them is stored: a model that says what a passage means beside
    the words that it has can only reorder what both legs have found.
    """

    def __init__(self, embedder: Component) -> None:
        """Keep the embedder.

        :param embedder: any Haystack component with `run(text) -> {"sparse_embedding"}`, in YAML as
            `{type, init_parameters}`.
        """
        self.embedder = embedder

    def to_dict(self) -> dict[str, Any]:
        """Serialize, the embedder with it."""
        return default_to_dict(self, embedder=component_to_dict(self.embedder, "embedder"))

    def warm_up(self) -> None:
        """Load the model."""
        if hasattr(self.embedder, "warm_up"):
            self.embedder.warm_up()

    @component.output_types(documents=list[Document])
    def run(self, query: str, documents: list[Document]) -> dict[str, list[Document]]:
        """Score the passages.

        :param query: the question.
        :param documents: the passages.
        :returns: `documents`, the best first, with their scores.
        """
        question = self._vector(query) if documents else {}
        passages = [self._vector(embedded_text(document)) for document in documents]
        scores = [sum(weight * passage.get(at, 0.0) for at, weight in question.items()) for passage in passages]
        ranked = sorted(zip(scores, documents, strict=True), key=lambda pair: -pair[0])
        return {"documents": [replace(document, score=score) for score, document in ranked]}

    def _vector(self, text: str) -> dict[int, float]:
        vector: SparseEmbedding = self.embedder.run(text=text)["sparse_embedding"]  # type: ignore[attr-defined]
        return dict(zip(vector.indices, vector.values, strict=True))
