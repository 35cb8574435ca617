"""Both legs together against the better one of them."""

import statistics
from collections.abc import Mapping, Sequence

from khub.eval.retrieve.retrieval_result import AgainstLeg
from khub.eval.statistics import paired_p_value

BOTH = "both"
Scores = Sequence[float | None]


def against_legs(measured: Mapping[str, Mapping[str, Mapping[str, Scores]]]) -> list[AgainstLeg]:
    """Compare a graph's ranking by both legs with that by its better one, on each set and on their mean.

    :param measured: set -> graph -> legs -> nDCG@10 of each question, None where it failed.
    :returns: for each graph of which both legs alone and together were measured `{graph, set, better, alone, both,
        p}`, `set` being None for the mean over the sets, in which each set's better leg counts, and each set as much
        as any other; `p` is that of a paired permutation test.
    """
    rows: list[AgainstLeg] = []
    graphs = list(dict.fromkeys(graph for found in measured.values() for graph in found))
    for graph in graphs:
        own = [_row(name, graph, found[graph]) for name, found in measured.items() if _complete(found.get(graph, {}))]
        rows += [row for row, _, _ in own]
        if len(own) > 1:
            both = [share for _, scores, _ in own for share in _shares(scores, len(own))]
            alone = [share for _, _, scores in own for share in _shares(scores, len(own))]
            p = paired_p_value(both, alone)
            rows.append({"graph": graph, "set": None, "better": "", "alone": sum(alone), "both": sum(both), "p": p})
    return rows


def _complete(legs: Mapping[str, Scores]) -> bool:
    return {"dense", "sparse", BOTH} <= set(legs)


def _row(name: str, graph: str, legs: Mapping[str, Scores]) -> tuple[AgainstLeg, Scores, Scores]:
    known = [place for place in range(len(legs[BOTH])) if all(scores[place] is not None for scores in legs.values())]
    means = {leg: statistics.fmean([scores[place] or 0.0 for place in known]) for leg, scores in legs.items()}
    better = max(("dense", "sparse"), key=lambda leg: means[leg])
    both, alone = ([scores[place] for place in known] for scores in (legs[BOTH], legs[better]))
    p = paired_p_value(both, alone)
    row = AgainstLeg(graph=graph, set=name, better=better, alone=means[better], both=means[BOTH], p=p)
    return row, both, alone


def _shares(scores: Scores, sets: int) -> list[float]:
    """Return each question's share of the mean over the sets."""
    return [(score or 0.0) / len(scores) / sets for score in scores]
