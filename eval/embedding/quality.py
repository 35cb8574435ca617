"""Retrieval quality of an embedding model alone: exact cosine over all passages."""

from typing import NamedTuple

import numpy as np

from components.embedders.model_folder import EmbeddingModel
from eval.retrieve.beir import Dataset

CUT = 10


class Quality(NamedTuple):
    """Means over the queries, in percent."""

    ndcg: float
    recall: float
    mrr: float


def cosines(model: EmbeddingModel, data: Dataset) -> np.ndarray:
    """Return the cosine of each query with each passage, float32 (queries, passages), in the order of the set."""
    return model.encode(list(data.queries.values())) @ model.encode(list(data.passages.values())).T


def quality(scores: np.ndarray, data: Dataset) -> Quality:
    """Return nDCG@10 (gains linear, discount log2 of rank + 1), recall@10 and MRR@10.

    :param scores: what `cosines` returns; of equal ones the passage that comes first in the set is ranked first.
    """
    ids = list(data.passages)
    discounts = 1 / np.log2(np.arange(2, CUT + 2))
    ndcg, recall, mrr = [], [], []
    for query, row in zip(data.queries, scores, strict=True):
        wanted = data.gains[query]
        found = np.array([wanted.get(ids[i], 0.0) for i in np.argsort(-row, kind="stable")[:CUT]])
        ideal = sorted(wanted.values(), reverse=True)[:CUT]
        ndcg.append(np.dot(found, discounts[: len(found)]) / np.dot(ideal, discounts[: len(ideal)]))
        recall.append((found > 0).sum() / len(wanted))
        mrr.append(1 / (1 + np.argmax(found > 0)) if found.any() else 0.0)
    return Quality(*(100 * float(np.mean(values)) for values in (ndcg, recall, mrr)))
