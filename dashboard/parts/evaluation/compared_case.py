"""A question that two runs, or graphs, were asked."""

from typing import TypedDict

from khub.eval.cases import Case


class ComparedCase(TypedDict):
    """What both scored; `difference` is above zero where B is better, whichever way the metric goes."""

    case: Case
    a: float
    b: float
    difference: float
