"""Does each metric hold? Against its bound, and against the baseline."""

from collections.abc import Iterator
from dataclasses import dataclass

from khub.eval.gate.baseline import Baseline, rounded
from khub.eval.gate.measure import Measured
from khub.eval.gate.thresholds import Bound, Thresholds
from khub.eval.mean_figure import MeanFigure
from khub.eval.run.compared_metric import ComparedMetric
from khub.eval.run.comparison import compare
from khub.eval.run.metrics import metric, written

ROUNDING = 1e-9


@dataclass(frozen=True)
class Verdict:
    """What there is to say of one metric.

    :param figure: `{"mean", "low", "high", "valid", "total"}` over all questions that it is about.
    :param change: against the baseline, a row of `khub.eval.run.comparison.compare`; None where they share no value.
    :param reasons: why it fails; none where it passes.
    """

    bound: Bound
    figure: MeanFigure
    change: ComparedMetric | None
    reasons: tuple[str, ...]

    @property
    def name(self) -> str:
        """What the metric is called."""
        return self.bound.name

    @property
    def passed(self) -> bool:
        """Whether the metric holds."""
        return not self.reasons

    @property
    def text(self) -> str:
        """One line for whoever has to mend it."""
        return f"{self.name} {'; '.join(self.reasons) or 'holds'}"


def verdicts(measured: Measured, thresholds: Thresholds, baseline: Baseline) -> list[Verdict]:
    """Judge every metric of the gate, those of the judge only where one was asked."""
    return [
        verdict(measured, thresholds, baseline, bound)
        for bound in (*thresholds.bounds, *(thresholds.judged if measured.judge else ()))
    ]


def verdict(measured: Measured, thresholds: Thresholds, baseline: Baseline, bound: Bound) -> Verdict:
    """Judge one metric."""
    figure = measured.figure(bound)
    change = _change(measured, baseline, bound)
    reasons = [*_against_bound(bound, figure), *_against_baseline(bound.metric, change, thresholds)]
    if bound in thresholds.judged:
        reasons += _missing(measured, bound.metric, thresholds.largest_share_missing)
    if bound.leg in measured.legs:
        reasons += _failed(measured, bound)
    return Verdict(bound, figure, change, tuple(reasons))


def _change(measured: Measured, baseline: Baseline, bound: Bound) -> ComparedMetric | None:
    name, now, before = bound.metric, measured.columns.get(bound.column), baseline.columns.get(bound.column)
    if now is None or before is None:
        return None
    now = {case_id: rounded(value) for case_id, value in now.items()}
    compared = compare(baseline.same(measured.cases), ("baseline", "now"), {name: before}, {name: now})
    return next((row for row in compared["rows"] if row["group"] == (bound.language or "all")), None)


def _against_bound(bound: Bound, figure: MeanFigure) -> Iterator[str]:
    if figure["mean"] is None:
        yield f"could not be measured ({figure['valid']}/{figure['total']} values)"
    elif not bound.holds(figure["mean"]):
        yield f"is {written(bound.metric, figure['mean'])}, to be {bound}"


def _against_baseline(name: str, change: ComparedMetric | None, thresholds: Thresholds) -> Iterator[str]:
    if change is None:
        return
    fall = -change["difference"] if metric(name).higher_is_better else change["difference"]
    if fall > thresholds.largest_fall + ROUNDING and change["p"] < thresholds.p_below:
        before, now = (written(name, change[key]) for key in ("mean_a", "mean_b"))
        about = f"p = {change['p']:.4f}, {change['pairs']} pairs"
        yield f"got worse than the baseline: {before} before, {now} now ({about})"


def _missing(measured: Measured, name: str, largest: float) -> Iterator[str]:
    missing = sum(failure["metric"] == name for failure in measured.about["failed"])
    if missing > largest * len(measured.cases):
        yield f"lacks {missing} values that the judge could not give"


def _failed(measured: Measured, bound: Bound) -> Iterator[str]:
    """Count questions that failed when one leg was asked alone: the metric `failed` is about both together."""
    asked = {case.id for case in measured.cases if case.language == bound.language}
    of_leg = measured.legs[str(bound.leg)].failed
    failed = [one["reason"] for one in of_leg if one["metric"] == bound.metric and one["case_id"] in asked]
    if failed:
        yield f"lacks {len(failed)} questions, which failed ({failed[0]})"
