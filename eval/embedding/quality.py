"""Retrieval quality of an embedding model alone: exact cosine over all passages."""

from statistics import fmean
from typing import NamedTuple

import numpy as np

from khub.components.embedders.model_folder import EmbeddingModel
from khub.eval.retrieve.beir import Dataset
from khub.eval.retrieve.metrics import measures_of

CUT = 10


class Quality(NamedTuple):
    """Means over the queries, in percent."""

    ndcg: float
    recall: float
    mrr: float


def cosines(model: EmbeddingModel, data: Dataset) -> np.ndarray:
    """Return the cosine of each query with each passage, float32 (queries, passages), in the order of the set."""
    found: np.ndarray = model.encode(list(data.queries.values())) @ model.encode(list(data.passages.values())).T
    return found


def quality(scores: np.ndarray, data: Dataset) -> Quality:
    """Return nDCG@10, recall@10 and MRR@10, as `measures_of` defines them.

    :param scores: what `cosines` returns; of equal ones the passage that comes first in the set is ranked first.
    """
    ids = list(data.passages)
    best = ([ids[place] for place in np.argsort(-row, kind="stable")[:CUT]] for row in scores)
    found = [measures_of(ranked, data.gains[query]) for query, ranked in zip(data.queries, best, strict=True)]
    return Quality(*(100 * fmean(one[name] for one in found) for name in ("ndcg@10", "recall@10", "mrr@10")))
