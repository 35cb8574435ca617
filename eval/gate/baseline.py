"""The committed baseline: what each question scored when it was last written down."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from khub.components.errors import EvaluationError
from khub.eval.cases import Case
from khub.eval.gate.baseline_about import BaselineAbout
from khub.eval.gate.measure import Measured, is_steady
from khub.eval.gate.thresholds import BASELINE, Thresholds
from khub.eval.run.comparison import Columns
from khub.eval.run.files import write_file
from khub.eval.run.fingerprints import digest
from khub.eval.run.metrics import in_order

WRITE = "python -m khub.eval.gate.write_baseline"
DIGITS = 6


@dataclass(frozen=True)
class Baseline:
    """Earlier scores.

    :param about: graph, its hash, ingest graph, model and number of questions.
    :param cases: case id -> hash of the question and its places.
    :param columns: column (see `khub.eval.gate.thresholds.column_of`) -> case id -> value.
    """

    about: BaselineAbout
    cases: dict[str, str]
    columns: Columns

    def same(self, cases: Sequence[Case]) -> list[Case]:
        """Return the cases that are as they were."""
        return [case for case in cases if self.cases.get(case.id) == hash_of(case)]

    def problems(self, cases: Sequence[Case], thresholds: Thresholds) -> Iterator[str]:
        """Say why it is no longer a baseline of these questions; new ones are none of its business.

        A set without its hard questions would pass for a better graph.
        """
        if self.about["graph"] != thresholds.graph:
            yield f"it is of graph {self.about['graph']!r}, the gate measures {thresholds.graph!r}"
        here = {case.id: hash_of(case) for case in cases}
        gone = [case_id for case_id in self.cases if case_id not in here]
        if gone:
            yield f"{len(gone)} of its questions are gone ({_some(gone)})"
        changed = [case_id for case_id, known in self.cases.items() if here.get(case_id, known) != known]
        if changed:
            yield f"{len(changed)} of its questions, or their places, have changed ({_some(changed)})"
        missing = list(dict.fromkeys(bound.column for bound in thresholds.bounds if bound.column not in self.columns))
        if missing:
            yield f"it has no {_some(missing)}"


def hash_of(case: Case) -> str:
    """Return a hash of what decides a case's scores."""
    return digest([case.question, case.answerable, [place.as_dict() for place in case.relevant]])[:8]


def baseline_of(measured: Measured) -> Baseline:
    """Return the baseline that a measurement makes."""
    about: BaselineAbout = {
        "graph": measured.graph,
        "hash": measured.about["hash"],
        "ingest": measured.about["ingest"],
        "model": measured.about["model"],
        "documents": measured.report["documents"]["hash"],
        "questions": len(measured.cases),
    }
    columns = measured.columns
    steady = {
        name: {case_id: rounded(value) for case_id, value in columns[name].items()}
        for name in in_order(columns)
        if is_steady(name)
    }
    return Baseline(about, {case.id: hash_of(case) for case in measured.cases}, steady)


def read_baseline(folder: Path) -> Baseline:
    """Read a gate's baseline.

    :raises KhubError: when there is none, or it cannot be used.
    """
    file = folder / BASELINE
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        metrics, rows = data["metrics"], data["cases"]
        columns = {name: {row["id"]: row["scores"][place] for row in rows} for place, name in enumerate(metrics)}
        return Baseline(data["about"], {row["id"]: row["case"] for row in rows}, columns)
    except FileNotFoundError as error:
        raise EvaluationError(f"there is no {file}", f"{WRITE}, and commit it") from error
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise EvaluationError(f"{file} cannot be used ({type(error).__name__}: {error})", WRITE) from error


def write_baseline(folder: Path, baseline: Baseline) -> Path:
    """Write a gate's baseline: one line per question, so that a diff shows which ones changed.

    :returns: the file.
    """
    rows = [
        {"id": case_id, "case": known, "scores": [_short(column[case_id]) for column in baseline.columns.values()]}
        for case_id, known in baseline.cases.items()
    ]
    lines = ",\n".join(f"  {_json(row)}" for row in rows)
    head = f' "about": {_json(baseline.about)},\n "metrics": {_json(list(baseline.columns))}'
    write_file(folder / BASELINE, f'{{\n{head},\n "cases": [\n{lines}\n ]\n}}\n')
    return folder / BASELINE


def rounded(value: float | None) -> float | None:
    """Return a value as the baseline keeps it: the last digits differ between machines, and are no difference."""
    return None if value is None else round(value, DIGITS)


def _short(value: float | None) -> float | int | None:
    return int(value) if value is not None and value == int(value) else value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
