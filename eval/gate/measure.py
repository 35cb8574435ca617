"""Measure what a gate is about, by the runner of `khub eval run`."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from khub.eval.cases import Case
from khub.eval.gate.legs import leg_ranking, measure_legs
from khub.eval.gate.thresholds import Bound, Thresholds, column_of
from khub.eval.mean_figure import MeanFigure
from khub.eval.retrieve.figures import figure
from khub.eval.run.comparison import Columns, columns_of
from khub.eval.run.evaluation import Plan, Shown, evaluate
from khub.eval.run.golden_set import golden_sets
from khub.eval.run.graph_report import GraphReport
from khub.eval.run.metric_table import figure_of
from khub.eval.run.metrics import metric
from khub.eval.run.run_report import RunReport
from khub.eval.run.scoring import Scores

JUDGE = "KHUB_GATE_JUDGE"
"""Environment variable: a graph of kind `evaluate` with a judge, whose metrics are then held to their bounds."""


@dataclass(frozen=True)
class Measured:
    """One measurement.

    :param cases: all questions.
    :param report: as `khub.eval.run.evaluation.evaluate` gives it.
    :param graph: name of the graph in it.
    :param judge: name of the judging graph; None where there is none.
    :param legs: leg -> what the graph's ranking by this leg alone scores, see `khub.eval.gate.legs.measure_legs`.
    """

    cases: Sequence[Case]
    report: RunReport
    graph: str
    judge: str | None = None
    legs: Mapping[str, Scores] = field(default_factory=dict)

    @property
    def about(self) -> GraphReport:
        """What the report says of the graph."""
        return self.report["graphs"][self.graph]

    @property
    def columns(self) -> Columns:
        """Column (see `khub.eval.gate.thresholds.column_of`) -> case id -> value."""
        alone = {column_of(leg, name): values for leg, one in self.legs.items() for name, values in one.values.items()}
        return columns_of(self.report["case_ids"], {**self.about["scores"], **alone})

    def figure(self, bound: Bound) -> MeanFigure:
        """Return a metric over its questions: `{"mean", "low", "high", "valid", "total"}`, None where it is missing."""
        if bound.leg:
            return self._leg_figure(bound)
        nothing: MeanFigure = {"mean": None, "low": None, "high": None, "valid": 0, "total": len(self.cases)}
        return figure_of(self.about["metrics"], bound.metric) or nothing

    def _leg_figure(self, bound: Bound) -> MeanFigure:
        column, is_about = self.columns.get(bound.column, {}), metric(bound.metric).population
        asked = [case for case in self.cases if case.language == bound.language and is_about(case)]
        return figure([column.get(case.id) for case in asked])


def measure(thresholds: Thresholds, judge: str | None, shown: Shown) -> Measured:
    """Ask the gate's graph all questions, and score the answers, and its rankings by the legs that have bounds.

    :param judge: name of a judging graph; None to measure only what needs no judge.
    :param shown: shows progress.
    :raises KhubError: naming what is wrong with the sets, the documents or a graph.
    """
    sets = golden_sets([str(file) for file in thresholds.sets])
    plan = Plan(sets, thresholds.documents.resolve(), [thresholds.graph], judge=judge)
    ranking = leg_ranking(thresholds.graph) if thresholds.legs else None
    _, report = evaluate(plan, None, shown)
    legs = measure_legs(ranking, thresholds.legs, plan.cases, plan.documents, shown) if ranking else {}
    return Measured(plan.cases, report, thresholds.graph, judge, legs)


def chosen_judge() -> str | None:
    """Return the judging graph that the environment names on purpose."""
    return os.environ.get(JUDGE) or None


def is_steady(name: str) -> bool:
    """Say whether a metric's values are the same on every machine."""
    return not metric(name).milliseconds
