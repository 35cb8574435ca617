"""How alike two rankings are."""

from collections.abc import Sequence

PERSISTENCE = 0.9  # the first ten places make 86 % of the measure


def overlap_at(first: Sequence[str], second: Sequence[str], k: int) -> float:
    """Return the share of the first k places that both rankings fill with the same items, in whatever order.

    :param first: different items, best first.
    :param second: the other ranking.
    :param k: depth, 1 or more; less where both rankings are shorter.
    :returns: from 0 to 1; 1 for two empty rankings.
    """
    depth = min(k, max(len(first), len(second)))
    return len(set(first[:k]) & set(second[:k])) / depth if depth else 1.0


def rank_biased_overlap(first: Sequence[str], second: Sequence[str], persistence: float = PERSISTENCE) -> float:
    """Return the extrapolated rank-biased overlap: agreement at each depth, the first places weighing most.

    Equation 32 of W. Webber, A. Moffat and J. Zobel, *A Similarity Measure for Indefinite Rankings* (ACM TOIS, 2010),
    for rankings that may differ in length.

    :param first: different items, best first.
    :param second: the other ranking.
    :param persistence: the weight of a depth beside that of the one before it, above 0 and below 1.
    :returns: from 0 (nothing in common) to 1 (the same); 1 for two empty rankings, 0 when one alone is empty.
    """
    short, long = sorted((list(first), list(second)), key=len)
    if not short:
        return 0.0 if long else 1.0
    size, total = len(short), len(long)
    common = [len(set(short[:depth]) & set(long[:depth])) for depth in range(1, total + 1)]
    agreed = sum(common[depth - 1] / depth * persistence**depth for depth in range(1, total + 1))
    assumed = sum(
        common[size - 1] * (depth - size) / (size * depth) * persistence**depth for depth in range(size + 1, total + 1)
    )
    rest = ((common[-1] - common[size - 1]) / total + common[size - 1] / size) * persistence**total
    return min(1.0, (1 - persistence) / persistence * (agreed + assumed) + rest)
