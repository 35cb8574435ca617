"""The cosines of all candidates, whichever leg has found them."""

from collections.abc import Mapping, Sequence
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

    @component.output_types(cosines=Mapping[str, float])
    def run(
        self,
        documents: list[Document],
        embedding: np.ndarray | None = None,
        collection: str | None = None,
        known: Mapping[str, float] | None = None,
        abroad: dict[str, np.ndarray] | None = None,
    ) -> dict[str, Any]:
        """Compute the cosines.

        :param documents: chunks of the collection, as a leg hands them on: `meta["text_hash"]` names the vector.
        :param embedding: the question's vector, (dimension,), from the dense leg; None where it has not searched.
        :param collection: name of the collection; the only one, or `default`, if None.
        :param known: chunk id -> cosine of what the dense leg has compared; only the others are looked up.
        :param abroad: language -> the vector that chunks in it are compared with in place of `embedding`.
        :returns: `cosines`: chunk id -> cosine, from -1 to 1; without those whose vector is not known.
        :raises CollectionError: when there is no such collection.
        """
        compared = known or {}
        others = [d for d in documents if d.id not in compared]
        found = _read(others, embedding, abroad or {}, collection) if embedding is not None else {}
        return {"cosines": Cosines({d.id: compared[d.id] for d in documents if d.id in compared} | found)}


def _read(
    documents: Sequence[Document],
    embedding: np.ndarray,
    abroad: Mapping[str, np.ndarray],
    collection: str | None,
) -> dict[str, float]:
    """Return the cosine of each chunk whose vector the catalog has."""
    catalog = open_catalog()
    binding = catalog.collections.binding(catalog.collections.resolve(collection))
    if not binding or not documents:
        return {}
    hashes = list({str(d.meta.get("text_hash")) for d in documents})
    vectors = catalog.vectors.get(hashes, binding["embedder"]["fingerprint"])
    known = [d for d in documents if d.meta.get("text_hash") in vectors]
    if not known:
        return {}
    matrix = np.stack([vectors[d.meta["text_hash"]] for d in known])
    asked = np.stack([abroad.get(d.meta.get("language", ""), embedding) for d in known])
    lengths = np.linalg.norm(matrix, axis=1) * np.linalg.norm(asked, axis=1)
    cosines = np.einsum("ij,ij->i", matrix, asked) / np.maximum(lengths, 1e-12)
    return {d.id: cosine for d, cosine in zip(known, cosines.tolist(), strict=True)}
