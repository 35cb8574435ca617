"""The cosines of all candidates, whichever leg has found them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from haystack import Document, component

from components.catalog.catalog import open_catalog
from components.retrievers.cosines import Cosines


@component
class CosineScores:
    """Compares the question's vector with the candidates that the dense leg has not compared it with.

    Many of those that the keyword leg alone has found stand outside the dense leg's list, yet not all of them as far:
    without their cosines, a ranker can only take them for unrelated.
    """

    @component.output_types(cosines=dict[str, float])
    def run(
        self,
        documents: list[Document],
        embedding: list[float] | None = None,
        collection: str | None = None,
        known: dict[str, float] | None = None,
    ) -> dict[str, Any]:
        """Compute the cosines.

        :param documents: chunks of the collection, as a leg hands them on: `meta["text_hash"]` names the vector.
        :param embedding: the question's vector, (dimension,), from the dense leg; None where it has not searched.
        :param collection: name of the collection; the only one, or `default`, if None.
        :param known: chunk id -> cosine of what the dense leg has compared; only the others are looked up.
        :returns: `cosines`: chunk id -> cosine, from -1 to 1; without those whose vector is not known.
        :raises CollectionError: when there is no such collection.
        """
        known = known or {}
        hashes = {d.id: str(d.meta.get("text_hash")) for d in documents if d.id not in known}
        found = _read(hashes, embedding, collection) if embedding else {}
        return {"cosines": Cosines({d.id: known[d.id] for d in documents if d.id in known} | found)}


def _read(hashes: Mapping[str, str], embedding: list[float], collection: str | None) -> dict[str, float]:
    """Return the cosine of each chunk whose vector the catalog has."""
    catalog = open_catalog()
    binding = catalog.collections.binding(catalog.collections.resolve(collection))
    if not binding or not hashes:
        return {}
    vectors = catalog.vectors.get(list(set(hashes.values())), binding["embedder"]["fingerprint"])
    if not vectors:
        return {}
    matrix, question = np.stack(list(vectors.values())), np.asarray(embedding, "<f4")
    lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix)) * np.linalg.norm(question)
    cosines = dict(zip(vectors, (matrix @ question / np.maximum(lengths, 1e-12)).tolist(), strict=True))
    return {id_: cosines[key] for id_, key in hashes.items() if key in cosines}
