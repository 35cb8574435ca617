"""The runs that the hub's home keeps: their reports, answers and figures."""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from khub.components.errors import FileError, KhubError
from khub.components.home import hub_home
from khub.eval.cases import Case
from khub.eval.run.comparison import REPORT, Columns, columns_of
from khub.eval.run.files import read_rows
from khub.eval.run.history import HISTORY
from khub.eval.run.history_line import HistoryLine
from khub.eval.run.kept_answer import KeptAnswer
from khub.eval.run.run_folder import CASES, RunFolder, read_about
from khub.eval.run.run_report import RunAbout, RunReport

RUNS = "runs"


@dataclass(frozen=True)
class KeptRun:
    """A run on disk, whole or not.

    :param about: what stands in its `run.json`.
    """

    path: Path
    about: RunAbout

    @property
    def run_id(self) -> str:
        """The run's name."""
        return self.path.name

    @property
    def is_whole(self) -> bool:
        """Say whether it has come to its end, and its report is beside it."""
        return bool(self.about.get("finished")) and (self.path / REPORT).is_file()

    @cached_property
    def report(self) -> RunReport:
        """Its report.

        :raises KhubError: when it cannot be read.
        """
        file = self.path / REPORT
        try:
            report: RunReport = json.loads(file.read_text(encoding="utf-8"))
            if not report["graphs"] or not isinstance(report["case_ids"], list):
                raise ValueError("it names no graph")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FileError(
                f"{file} cannot be read: {error}", "delete the folder of this run, or run it anew"
            ) from error
        return report

    @cached_property
    def cases(self) -> dict[str, Case]:
        """Its questions by id; none for a run of an older hub, which did not keep them."""
        rows = (Case.from_dict(row, str(self.path / CASES)) for row in read_rows(self.path / CASES))
        return {case.id: case for case in rows}

    def columns(self, graph: str) -> Columns:
        """Return a graph's scores by case id."""
        return columns_of(self.report["case_ids"], self.report["graphs"][graph]["scores"])

    def answers(self, graph: str) -> dict[str, KeptAnswer]:
        """Return a graph's answers by case id; only of a whole run, since reading mends what a killed one left."""
        return {answer["case_id"]: answer for answer in RunFolder(self.path, self.about).answers(graph)}


def kept_runs() -> tuple[list[KeptRun], list[KhubError]]:
    """Return the runs, the newest first, and what is wrong with those that cannot be read."""
    runs, problems = [], []
    for path in sorted((hub_home() / "eval" / RUNS).glob("*"), reverse=True):
        if path.is_dir():
            try:
                runs.append(KeptRun(path, read_about(path)))
            except KhubError as error:
                problems.append(error)
    return runs, problems


def history_of_hub() -> list[HistoryLine]:
    """Return the lines of `history.jsonl` of all runs, each once, oldest first; see `khub.eval.run.history`."""
    rows: dict[tuple[str, str], HistoryLine] = {}
    for run in kept_runs()[0]:
        if run.is_whole:
            rows |= {(row["run_id"], row["graph"]): row for row in _lines(run.path / HISTORY)}
    return sorted(rows.values(), key=lambda row: (str(row["finished"]), row["run_id"]))


def _lines(file: Path) -> list[HistoryLine]:
    try:
        return read_rows(file)
    except (OSError, ValueError):  # the run's own page says what is wrong with it
        return []
