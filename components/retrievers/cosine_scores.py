"""The cosines of all candidates, whichever leg has found them."""

from typing import Any

import numpy as np
from haystack import Document, component

from components.catalog.catalog import open_catalog


@component
class CosineScores:
    """Compares the question's vector with all candidates: the keyword leg's have no cosine otherwise.

    Many of those stand outside the dense leg's list, yet not all of them as far: without their cosines, a ranker can
    only take them for unrelated.
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
        if not found:
            return {"cosines": {}}
        matrix, question = np.stack(list(found.values())), np.asarray(embedding, "<f4")
        lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix)) * np.linalg.norm(question)
        return {"cosines": dict(zip(found, (matrix @ question / np.maximum(lengths, 1e-12)).tolist(), strict=True))}
