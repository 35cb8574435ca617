"""Measure what a gate is about, by the runner of `khub eval run`."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from eval.cases import Case
from eval.gate.thresholds import Thresholds
from eval.run.comparison import Columns, columns_of
from eval.run.evaluation import Plan, Shown, evaluate
from eval.run.golden_set import golden_sets
from eval.run.metrics import metric

JUDGE = "KHUB_GATE_JUDGE"
"""Environment variable: a graph of kind `evaluate` with a judge, whose metrics are then held to their bounds."""


@dataclass(frozen=True)
class Measured:
    """One measurement.

    :param cases: all questions.
    :param report: as `eval.run.evaluation.evaluate` gives it.
    :param graph: name of the graph in it.
    :param judge: name of the judging graph; None where there is none.
    """

    cases: Sequence[Case]
    report: dict[str, Any]
    graph: str
    judge: str | None = None

    @property
    def about(self) -> dict[str, Any]:
        """What the report says of the graph."""
        about: dict[str, Any] = self.report["graphs"][self.graph]
        return about

    @property
    def columns(self) -> Columns:
        """Metric -> case id -> value."""
        return columns_of(self.report["case_ids"], self.about["scores"])

    def figure(self, name: str) -> dict[str, Any]:
        """Return a metric over all questions: `{"mean", "low", "high", "valid", "total"}`, None where it is missing."""
        nothing = {"mean": None, "low": None, "high": None, "valid": 0, "total": len(self.cases)}
        figure: dict[str, Any] = self.about["metrics"].get(name, {"all": nothing})["all"]
        return figure


def measure(thresholds: Thresholds, judge: str | None, shown: Shown) -> Measured:
    """Ask the gate's graph all questions, and score the answers.

    :param judge: name of a judging graph; None to measure only what needs no judge.
    :param shown: shows progress.
    :raises KhubError: naming what is wrong with the sets, the documents or a graph.
    """
    sets = golden_sets([str(file) for file in thresholds.sets])
    plan = Plan(sets, thresholds.documents.resolve(), [thresholds.graph], judge=judge)
    _, report = evaluate(plan, None, shown)
    return Measured(plan.cases, report, thresholds.graph, judge)


def chosen_judge() -> str | None:
    """Return the judging graph that the environment names on purpose."""
    return os.environ.get(JUDGE) or None


def is_steady(name: str) -> bool:
    """Say whether a metric's values are the same on every machine."""
    return not metric(name).milliseconds
