"""How far the graphs are ahead of the baselines."""

from collections.abc import Mapping
from typing import Any

from eval.pages.metrics import DOCUMENT_CUT, HIT
from eval.pages.scopes import Scores
from eval.retrieve.figures import figure
from eval.statistics import paired_p_value

COMPARED = (f"recall@{DOCUMENT_CUT}", HIT)


def ahead_of(
    graphs: Mapping[str, Mapping[str, Scores]], baselines: Mapping[str, Mapping[str, Scores]]
) -> list[dict[str, Any]]:
    """Compare each graph with each baseline, question by question.

    :param graphs: name -> scope -> `scores_of` its ranking.
    :param baselines: the same of the baselines.
    :returns: `{graph, baseline, scope, metric, p}` with the `figure` of the differences, from -1 to 1; `p` is that of
        a paired permutation test.
    """
    return [
        {
            "graph": graph,
            "baseline": baseline,
            "scope": scope,
            "metric": metric,
            **figure(_differences(own[scope][metric], other[scope][metric])),
            "p": paired_p_value(own[scope][metric], other[scope][metric]),
        }
        for graph, own in graphs.items()
        for scope in own
        for metric in COMPARED
        for baseline, other in baselines.items()
    ]


def _differences(own: list[float | None], other: list[float | None]) -> list[float | None]:
    return [None if a is None or b is None else a - b for a, b in zip(own, other, strict=True)]
