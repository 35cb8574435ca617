"""Judge answers by the evaluation graph."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from khub.components.errors import GraphError, GraphKindError
from khub.components.home import hub_home
from khub.eval.cases import Case
from khub.eval.run.graph_report import JudgeAbout
from khub.eval.run.hub_home import hub_home_at
from khub.eval.run.judged_slice import JudgedSlice
from khub.eval.run.kept_answer import KeptAnswer
from khub.eval.run.run_folder import RunFolder
from khub.server.graphs.load import Graph, load_graph
from khub.server.graphs.run import run_graph

KIND = "evaluate"
JUDGE_SUFFIX = "_judge"
"""Of the outputs of an evaluation graph that say who judged: `{name, library, metrics}`."""


@dataclass(frozen=True)
class Scores:
    """What the evaluators say.

    :param values: metric -> one value per case in their order; None where it does not apply or could not be measured.
    :param failed: `{metric, case_id, reason}` of what could not be measured.
    :param judges: `{name, library, metrics}` of the language models that judged, each once; none without a judge.
    """

    values: dict[str, list[float | None]]
    failed: list[dict[str, str]]
    judges: list[JudgeAbout] = field(default_factory=list)


def evaluation_graph(name: str) -> Graph:
    """Return a graph of kind `evaluate`.

    :raises GraphError: when it is of another kind.
    """
    graph = load_graph(name)
    if graph.kind != KIND:
        raise GraphKindError(f"graph {name!r} is of kind {graph.kind!r}", f"name a graph of kind '{KIND}'")
    return graph


def score(
    cases: Sequence[Case],
    answers: Sequence[KeptAnswer],
    evaluation: Graph,
    graph: str,
    folder: RunFolder,
    slice_size: int,
    on_slice: Callable[[int, int], None],
) -> Scores:
    """Judge the answers of a graph, slice by slice; a slice that the run has whole already is not judged again.

    One in which something could not be measured is: the judge may be up again, and what it has said is kept.

    :param graph: the query graph that answered.
    :param slice_size: cases judged at a time, what a stop can cost.
    :param on_slice: called with how many cases are done, of all.
    :raises GraphError: when the evaluation does not give one value per case.
    """
    known = {tuple(row["case_ids"]): row for row in folder.judged(graph)}  # of a slice judged twice, the last
    rows = []
    for start in range(0, len(cases), slice_size):
        part = cases[start : start + slice_size]
        ids = tuple(case.id for case in part)
        if ids not in known or known[ids]["failed"]:
            known[ids] = _judge(evaluation, part, answers[start : start + slice_size])
            folder.add_judged(graph, known[ids])
        rows.append(known[ids])
        on_slice(start + len(part), len(cases))
    return _joined(rows)


def _judge(evaluation: Graph, cases: Sequence[Case], answers: Sequence[KeptAnswer]) -> JudgedSlice:
    inputs = {"cases": [case.as_dict() for case in cases], "answers": list(answers)}
    with hub_home_at(hub_home() / "eval"):  # its traces are none of the user's
        outputs = run_graph(evaluation, inputs).outputs
    for metric, values in outputs["scores"].items():
        if len(values) != len(cases):
            remedy = "return one value per case, None where it does not apply"
            raise GraphError(
                f"{evaluation.name}: {metric} has {len(values)} values for {len(cases)} cases",
                remedy,
                code="graph_failed",
            )
    judges = [value for name, value in outputs.items() if name.endswith(JUDGE_SUFFIX) and value]
    ids = [case.id for case in cases]
    return {"case_ids": ids, "scores": outputs["scores"], "failed": outputs["failed"] or [], "judges": judges}


def _joined(rows: Sequence[JudgedSlice]) -> Scores:
    """Put the slices together; a column that a slice does not have, since its evaluator failed, is empty there."""
    names = list(dict.fromkeys(name for row in rows for name in row["scores"]))
    empty = [[None] * len(row["case_ids"]) for row in rows]
    values = {
        name: [value for row, none in zip(rows, empty, strict=True) for value in row["scores"].get(name, none)]
        for name in names
    }
    judges: list[JudgeAbout] = []
    for row in rows:
        judges += [judge for judge in row["judges"] if judge not in judges]
    return Scores(values, [failure for row in rows for failure in row["failed"]], judges)
