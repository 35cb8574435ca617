"""The cosines of all candidates, whichever leg has found them."""

from typing import Any

import numpy as np
from haystack import Document, component

from components.catalog.catalog import open_catalog


@component
class CosineScores:
    """Compares the question's vector with the passages that the keyword leg alone has found.

    They stand outside the dense leg's list, yet not all of them as far: without their cosines, a ranker can only take
    them for unrelated.
    """

    @component.output_types(cosines=dict[str, float])
    def run(
        self, documents: list[Document], embedding: list[float] | None = None, collection: str | None = None
    ) -> dict[str, Any]:
        """Compute the cosines.

        :param documents: chunks of the collection.
        :param embedding: the question's vector, (dimension,), from the dense leg; None where it has not searched.
        :param collection: name of the collection; the only one, or `default`, if None.
        :returns: `cosines`: chunk id -> cosine, from -1 to 1; without those whose vector is not known.
        """
        catalog = open_catalog()
        name = catalog.collections.resolve(collection)
        binding = catalog.collections.binding(name) if embedding else None
        if not embedding or not binding:
            return {"cosines": {}}
        ids = [document.id for document in documents]
        found = catalog.vectors.of_chunks(name, ids, binding["embedder"]["fingerprint"])
        question = np.asarray(embedding, "<f4")
        return {"cosines": {chunk_id: _cosine(vector, question) for chunk_id, vector in found.items()}}


def _cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other) / max(float(np.linalg.norm(one) * np.linalg.norm(other)), 1e-12)
