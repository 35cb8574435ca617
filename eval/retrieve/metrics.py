"""Figures of one ranked list, as trec_eval defines them."""

import math
from collections.abc import Sequence

METRICS = ("ndcg@10", "recall@10", "recall@100", "mrr@10")


def measures_of(ranked: Sequence[str], gains: dict[str, float]) -> dict[str, float]:
    """Return nDCG@10, recall@10, recall@100 and MRR@10 of a query, from 0 to 1.

    nDCG has linear gains, the discount log2(rank + 1), and an ideal list cut at 10.

    :param ranked: ids, best first; of a repeated one the first place counts.
    :param gains: relevant id -> gain above 0; at least one.
    """
    found = list(dict.fromkeys(ranked))
    ideal = sorted(gains.values(), reverse=True)
    best = next((rank for rank, key in enumerate(found[:10], start=1) if key in gains), None)
    return {
        "ndcg@10": _dcg([gains.get(key, 0.0) for key in found[:10]]) / _dcg(ideal[:10]),
        "recall@10": sum(key in gains for key in found[:10]) / len(gains),
        "recall@100": sum(key in gains for key in found[:100]) / len(gains),
        "mrr@10": 1 / best if best else 0.0,
    }


def _dcg(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))
