"""Judge answers by the evaluation graph."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from components.errors import GraphError
from components.home import hub_home
from eval.cases import Case
from eval.run.hub_home import hub_home_at
from eval.run.run_folder import RunFolder
from server.graphs import Graph, load_graph
from server.run_graph import run_graph

KIND = "evaluate"


@dataclass(frozen=True)
class Scores:
    """What the evaluators say.

    :param values: metric -> one value per case in their order; None where it does not apply or could not be measured.
    :param failed: `{metric, case_id, reason}` of what could not be measured.
    """

    values: dict[str, list[float | None]]
    failed: list[dict[str, str]]


def evaluation_graph(name: str) -> Graph:
    """Return a graph of kind `evaluate`.

    :raises GraphError: when it is of another kind.
    """
    graph = load_graph(name)
    if graph.kind != KIND:
        raise GraphError(f"graph {name!r} is of kind {graph.kind!r}", f"name a graph of kind '{KIND}'")
    return graph


def score(
    cases: Sequence[Case],
    answers: Sequence[dict[str, Any]],
    evaluation: Graph,
    graph: str,
    folder: RunFolder,
    slice_size: int,
    on_slice: Callable[[int, int], None],
) -> Scores:
    """Judge the answers of a graph, slice by slice; a slice that the run has already is not judged again.

    :param graph: the query graph that answered.
    :param slice_size: cases judged at a time, what a stop can cost.
    :param on_slice: called with how many cases are done, of all.
    :raises GraphError: when the evaluation does not give one value per case.
    """
    known = {tuple(row["case_ids"]): row for row in folder.judged(graph)}
    rows = []
    for start in range(0, len(cases), slice_size):
        part = cases[start : start + slice_size]
        ids = tuple(case.id for case in part)
        if ids not in known:
            outputs = _judge(evaluation, part, answers[start : start + slice_size])
            known[ids] = {"case_ids": list(ids), "scores": outputs["scores"], "failed": outputs["failed"]}
            folder.add_judged(graph, known[ids])
        rows.append(known[ids])
        on_slice(start + len(part), len(cases))
    return _joined(rows)


def _judge(evaluation: Graph, cases: Sequence[Case], answers: Sequence[dict[str, Any]]) -> dict[str, Any]:
    inputs = {"cases": [case.as_dict() for case in cases], "answers": list(answers)}
    with hub_home_at(hub_home() / "eval"):  # its traces are none of the user's
        outputs = run_graph(evaluation, inputs).outputs
    for metric, values in outputs["scores"].items():
        if len(values) != len(cases):
            remedy = "return one value per case, None where it does not apply"
            raise GraphError(f"{evaluation.name}: {metric} has {len(values)} values for {len(cases)} cases", remedy)
    return {"scores": outputs["scores"], "failed": outputs["failed"] or []}


def _joined(rows: Sequence[dict[str, Any]]) -> Scores:
    """Put the slices together; a column that a slice does not have, since its evaluator failed, is empty there."""
    names = list(dict.fromkeys(name for row in rows for name in row["scores"]))
    empty = [[None] * len(row["case_ids"]) for row in rows]
    values = {
        name: [value for row, none in zip(rows, empty, strict=True) for value in row["scores"].get(name, none)]
        for name in names
    }
    return Scores(values, [failure for row in rows for failure in row["failed"]])
