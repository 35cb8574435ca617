"""Two graphs, compared."""

from typing import TypedDict

from khub.eval.run.compared_metric import ComparedMetric


class GraphComparison(TypedDict):
    """What two graphs, or runs, differ in; `a` and `b` is what they are called."""

    a: str
    b: str
    rows: list[ComparedMetric]
