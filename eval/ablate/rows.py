"""The rows of the table, as data."""

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence

from khub.eval.ablate.ablation_row import AblatedSet, AblationRow, RefusedRow
from khub.eval.ablate.asking import Found
from khub.eval.ablate.differences import Values, difference, mean_difference
from khub.eval.ablate.tasks import Task
from khub.eval.ablate.variants import Refused, Variant
from khub.eval.retrieve.figures import figure, operation
from khub.eval.retrieve.ranked_answer import RankedAnswer

Answered = Mapping[str, Found]
"""Task -> variant -> question id -> answer."""


def rows_of(
    tasks: Sequence[Task], made: Sequence[Variant | Refused], found: Answered
) -> list[AblationRow | RefusedRow]:
    """Return a row for each variant and each refused change, in their order; the first is the graph as it stands.

    :returns: `{label, refused}`, or `{label, graph, legs, remarks, sets: {task: {figures, difference, …}}, mean,
        cpu_ms, cpu_median_ms, cpu_difference, failed, degraded}`; figures from 0 to 1, CPU in milliseconds per
        question.
    """
    base = made[0].label
    return [
        {"label": one.label, "refused": one.reason} if isinstance(one, Refused) else _row(tasks, one, base, found)
        for one in made
    ]


def scores_of(task: Task, answers: Mapping[str, RankedAnswer]) -> dict[str, float | None]:
    """Return question id -> figure of the ranking, None where the question failed."""
    return {key: None if "error" in a else task.score(key, a["ranked"]) for key, a in answers.items()}


def cpu_of(answers: Mapping[str, RankedAnswer]) -> dict[str, float | None]:
    """Return question id -> milliseconds of CPU, None where the question failed."""
    return {key: None if "error" in answer else answer["cpu_ms"] for key, answer in answers.items()}


def _row(tasks: Sequence[Task], one: Variant, base: str, found: Answered) -> AblationRow:
    asked = [task for task in tasks if one.label in found[task.name]]
    own = {task.name: scores_of(task, found[task.name][one.label]) for task in asked}
    stands = {task.name: scores_of(task, found[task.name][base]) for task in tasks}
    sets = {task.name: _set(found[task.name][one.label], own[task.name], stands[task.name]) for task in asked}
    cpu, cpu_base = _cpu(asked, one.label, found), _cpu(asked, base, found)
    known = [value for value in cpu.values() if value is not None]
    left_out = [f"takes no filter: not measured on {task.name}" for task in tasks if task not in asked]
    return {
        "label": one.label,
        "graph": str(one.ranking.graph.path),
        "graph_hash": one.ranking.digest,
        "ingest": one.maker.name,
        "legs": one.legs,
        "remarks": [*one.remarks, *left_out],
        "sets": sets,
        "mean": mean_difference(tasks, own, stands),
        "cpu_ms": figure(list(cpu.values())),
        "cpu_median_ms": statistics.median(known) if known else None,
        "cpu_difference": difference(cpu, cpu_base),
        "failed": sum(len(one["failed"]) for one in sets.values()),
        "degraded": sum(one["degraded"] for one in sets.values()),
    }


def _set(answers: Mapping[str, RankedAnswer], own: Values, base: Values) -> AblatedSet:
    stages = Counter(stage for answer in answers.values() for stage in set(answer.get("degraded", ())))
    return {
        "figures": figure(list(own.values())),
        "difference": difference(own, base),
        "degraded_stages": dict(stages),
        **operation(answers),
    }


def _cpu(tasks: Sequence[Task], label: str, found: Answered) -> dict[str, float | None]:
    every = [(task.name, cpu_of(found[task.name][label])) for task in tasks]
    return {f"{name}/{key}": value for name, values in every for key, value in values.items()}
