"""The cosines of all candidates, whichever leg has found them."""

import math
from collections.abc import Sequence

import numpy as np
from haystack import Document

from khub.components.catalog.catalog import open_catalog
from khub.components.question import Leg, Question


def candidate_cosines(documents: Sequence[Document], dense: Leg, question: Question) -> dict[str, float]:
    """Return the cosine of each candidate with the question, as far as its vector is known.

    Many of those that the keyword leg alone has found stand outside the dense leg's list, yet not all of them as far.

    :param documents: chunks of the collection, as a leg hands them on: `meta["text_hash"]` names the vector.
    :param dense: with the question's vectors, and the cosines that are known.
    :returns: chunk id -> cosine, from -1 to 1.
    """
    told = {document.id: document.score for document in dense.documents} | dense.cosines
    own = {id_: cosine for id_, cosine in told.items() if cosine is not None and math.isfinite(cosine)}
    known = {document.id: own[document.id] for document in documents if document.id in own}
    others = [document for document in documents if document.id not in known]
    return known | _computed(others, dense.vectors, question.collection_name) if dense.vectors and others else known


def _computed(documents: Sequence[Document], asked: dict[str, np.ndarray], collection: str) -> dict[str, float]:
    catalog = open_catalog()
    binding = catalog.collections.binding(collection)
    hashes = list({str(document.meta.get("text_hash")) for document in documents})
    vectors = catalog.vectors.get(hashes, binding["embedder"]["fingerprint"]) if binding else {}
    found = [document for document in documents if document.meta.get("text_hash") in vectors]
    if not found:
        return {}
    matrix = np.stack([vectors[document.meta["text_hash"]] for document in found])
    others = np.stack([asked.get(document.meta.get("language", ""), asked[""]) for document in found])
    lengths = np.linalg.norm(matrix, axis=1) * np.linalg.norm(others, axis=1)
    cosines = np.einsum("ij,ij->i", matrix, others) / np.maximum(lengths, 1e-12)
    return {document.id: cosine for document, cosine in zip(found, cosines.tolist(), strict=True)}
