"""What the report has to know of a metric: how it is written, which way is better, which cases it is about."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from khub.eval.cases import Case


@dataclass(frozen=True)
class Metric:
    """How a metric is to be read.

    :param higher_is_better: or lower.
    :param milliseconds: its values; else they are shares from 0 to 1.
    :param population: the cases that it is about; a case of them without a value is missing from valid/total, as is
        one of which the evaluator says that it could not be measured.
    """

    higher_is_better: bool = True
    milliseconds: bool = False
    population: Callable[[Case], bool] = lambda _: True


def _answerable(case: Case) -> bool:
    return case.answerable


def _unanswerable(case: Case) -> bool:
    return not case.answerable


def _paged(case: Case) -> bool:
    return any(place.page is not None for place in case.relevant)


def _with_known_answer(case: Case) -> bool:
    return case.answerable and bool(case.answer)


def _none(_: Case) -> bool:
    return False


METRICS = {
    "page_accuracy": Metric(population=_paged),
    "abstained_right": Metric(population=_unanswerable),
    "abstained_wrong": Metric(higher_is_better=False, population=_answerable),
    "latency_ms": Metric(higher_is_better=False, milliseconds=True),
    "degraded": Metric(higher_is_better=False),
    "failed": Metric(higher_is_better=False),
}
RETRIEVAL = Metric(population=_answerable)
RETRIEVAL_FAMILIES = ("hit", "recall", "mrr", "ndcg")
JUDGES = ("deepeval_", "ragas_")
AGAINST_KNOWN_ANSWER = Metric(population=_with_known_answer)
OF_ANSWERS = Metric(population=_none)
"""About what was answered: each such case has a value, or a reason why it could not be measured."""


def metric(name: str) -> Metric:
    """Return what is known of a metric; one that is not known is a share of all cases, and more is better."""
    if name.startswith(JUDGES):
        return AGAINST_KNOWN_ANSWER if "context" in name else OF_ANSWERS
    return RETRIEVAL if _family(name) in RETRIEVAL_FAMILIES else METRICS.get(name, Metric())


def is_known(name: str) -> bool:
    """Say whether it is one of the metrics that need no judge."""
    return name in METRICS or _family(name) in RETRIEVAL_FAMILIES


def written(name: str, value: float | None) -> str:
    """Return a value as tables show it."""
    if value is None:
        return "–"
    return f"{value:,.1f}" if metric(name).milliseconds else f"{value:.3f}"


def in_order(names: Iterable[str]) -> list[str]:
    """Return names of metrics as reports list them: retrieval by family and depth, the other known ones, the rest."""
    return sorted(names, key=_place)


def _place(name: str) -> tuple[int, int, int, str]:
    family, _, depth = name.partition("@")
    if family in RETRIEVAL_FAMILIES:
        return 0, RETRIEVAL_FAMILIES.index(family), int(depth) if depth.isdigit() else 0, name
    return (1, list(METRICS).index(name), 0, name) if name in METRICS else (2, 0, 0, name)


def _family(name: str) -> str:
    return name.partition("@")[0]
