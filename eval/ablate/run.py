"""One run of `khub eval ablate`: graphs, collections, questions, table."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from khub.eval.ablate.asking import ask_by_turns
from khub.eval.ablate.report import markdown
from khub.eval.ablate.rows import Answered, cpu_of, rows_of, scores_of
from khub.eval.ablate.task_result import TaskResult
from khub.eval.ablate.tasks import Task, read_tasks
from khub.eval.ablate.variants import Changes, Variant, make_ablations
from khub.eval.machine import machine
from khub.eval.retrieve.asking import Answers
from khub.eval.retrieve.run import about, fill_all
from khub.eval.run.files import write_file
from khub.eval.run.fingerprints import library_versions
from khub.eval.run.throw_away_collection import ThrowAwayCollection

Made = dict[str, ThrowAwayCollection]
"""Ingest graph -> the collection that it has filled."""


@dataclass(frozen=True)
class Wanted:
    """What is to be measured.

    :param graph: name of the query graph.
    :param folders: data sets, see `read_tasks`.
    :param changes: what is changed in the graph.
    :param ingest: graph that makes the collections; None for the one that fits.
    :param sample: see `read_tasks`.
    :param seed: see `read_tasks`.
    :param command: the command as it was typed, for the report.
    """

    graph: str
    folders: Sequence[Path]
    changes: Changes = field(default_factory=Changes)
    ingest: str | None = None
    sample: int | None = None
    seed: int = 7
    command: str = ""


def ablate(wanted: Wanted, out: Path | None, fresh: bool) -> tuple[str, int]:
    """Measure a graph and each change of it, and write `ablate.json`, `ablate.md` and `ablate-scores.json`.

    :param wanted: the graph, its changes, and the sets.
    :param out: where the report goes; None for the folder of the answers.
    :param fresh: do not go on with a run that was stopped.
    :returns: the report in Markdown, and how many questions failed.
    :raises KhubError: naming the graph, stage, setting or set that cannot be used.
    """
    rows = make_ablations(wanted.graph, wanted.changes, wanted.ingest)
    variants = [row for row in rows if isinstance(row, Variant)]
    tasks = read_tasks(wanted.folders, wanted.sample, wanted.seed)
    made = {folder: _fill(folder, tasks, variants) for folder in dict.fromkeys(task.documents for task in tasks)}
    answers = Answers("ablate", _decided_by(tasks, variants, made), fresh)
    found = {task.name: ask_by_turns(task, _able(task, variants), made[task.documents], answers) for task in tasks}
    table = rows_of(tasks, rows, found)
    report = {
        "command": wanted.command,
        "graph": wanted.graph,
        "machine": machine(),
        "date": time.strftime("%Y-%m-%d"),
        "versions": library_versions(),
        "sample": wanted.sample,
        "seed": wanted.seed,
        "sets": [_about(task, made[task.documents]) for task in tasks],
        "rows": table,
    }
    text = markdown(report)
    write_file((out or answers.folder) / "ablate-scores.json", json.dumps(_every_score(tasks, found)) + "\n")
    answers.keep_report("ablate", report, text, out)
    return text, sum(row["failed"] for row in table if "failed" in row)


def _fill(folder: Path, tasks: Sequence[Task], variants: Sequence[Variant]) -> Made:
    name = next(task.about for task in tasks if task.documents == folder)
    return fill_all(name, folder, (variant.maker for variant in variants))


def _able(task: Task, variants: Sequence[Variant]) -> list[Variant]:
    """Return the variants that can be asked as the task wants it: within a document only by a filter."""
    return [variant for variant in variants if task.filters is None or "filters" in variant.ranking.graph.inputs]


def _decided_by(tasks: Sequence[Task], variants: Sequence[Variant], made: Mapping[Path, Made]) -> list[Any]:
    graphs = [[variant.label, variant.ranking.digest, variant.maker.name, variant.legs] for variant in variants]
    keys = [{name: one.key for name, one in made[task.documents].items()} for task in tasks]
    return [graphs, [[task.name, task.top_k, task.questions] for task in tasks], keys]


def _about(task: Task, made: Made) -> TaskResult:
    return {
        "name": task.name,
        "metric": task.metric,
        "questions": len(task.questions),
        "collections": [about(collection) for collection in made.values()],
    }


def _every_score(tasks: Sequence[Task], found: Answered) -> dict[str, Any]:
    """Return set -> row -> question id -> `[score, CPU ms]`, both None where it failed."""
    return {
        task.name: {
            label: {key: [score, cpu_of(answers)[key]] for key, score in scores_of(task, answers).items()}
            for label, answers in found[task.name].items()
        }
        for task in tasks
    }
