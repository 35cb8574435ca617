"""How far a variant is from the graph as it stands, question by question."""

from collections.abc import Mapping, Sequence

from khub.eval.ablate.difference_figure import DifferenceFigure, MeanDifference
from khub.eval.ablate.tasks import Task
from khub.eval.retrieve.figures import figure
from khub.eval.statistics import paired_p_value

Values = Mapping[str, float | None]
"""Question id -> figure, None where it failed."""


def difference(own: Values, base: Values) -> DifferenceFigure:
    """Return the `figure` of the differences (own minus base), with `p` of a paired permutation test.

    Questions that failed in one of the two are left out; `valid` counts the others.
    """
    pairs = [(own[key], base[key]) for key in base]
    differences = [None if a is None or b is None else a - b for a, b in pairs]
    return {**figure(differences), "p": paired_p_value([a for a, _ in pairs], [b for _, b in pairs])}


def mean_difference(tasks: Sequence[Task], own: Mapping[str, Values], base: Mapping[str, Values]) -> MeanDifference:
    """Return `{mean, p, sets}`: the mean of the sets' differences, each set counting as much as any other.

    A question that is put in two ways (over all documents, and within the named one) counts as one question in the
    test: its two figures go up and down together.

    :param own: task -> figures of the variant, of those tasks that it can be measured on.
    """
    asked = [task for task in tasks if _pairs(task, own, base)]
    shares: dict[tuple[str, str], float] = {}
    for task in asked:
        pairs = _pairs(task, own, base)
        for key, apart in pairs.items():
            place = (task.about, key)
            shares[place] = shares.get(place, 0.0) + apart / len(pairs) / len(asked)
    values = list(shares.values())
    p = paired_p_value(values, [0.0] * len(values))
    return {"mean": sum(values) if asked else None, "p": p, "sets": len(asked)}


def _pairs(task: Task, own: Mapping[str, Values], base: Mapping[str, Values]) -> dict[str, float]:
    found = ((key, own.get(task.name, {}).get(key), value) for key, value in base[task.name].items())
    return {key: a - b for key, a, b in found if a is not None and b is not None}
