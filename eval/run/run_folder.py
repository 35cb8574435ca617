"""The folder of one run: what was run (`run.json`), the answers as they came, and the scores."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from khub.components.errors import FileError
from khub.components.home import hub_home
from khub.components.private_files import private_folder
from khub.eval.cases import Case
from khub.eval.run.files import append_row, read_rows, write_file
from khub.eval.run.judged_slice import JudgedSlice
from khub.eval.run.kept_answer import KeptAnswer
from khub.eval.run.run_report import RunAbout

ABOUT = "run.json"
SCORES = "scores.json"
CASES = "cases.jsonl"


class RunFolder:
    """One run on disk; `about` is what stands in its `run.json`.

    :param path: the folder, whose name is the run's id.
    """

    def __init__(self, path: Path, about: RunAbout) -> None:
        self.path = path
        self.about = about

    @property
    def run_id(self) -> str:
        """The run's name: when it began, and the key of what it runs."""
        return self.path.name

    def keep_cases(self, cases: Sequence[Case]) -> None:
        """Keep the questions as they are asked: their set may be another one when somebody looks at the run."""
        lines = (json.dumps(case.as_dict(), ensure_ascii=False) + "\n" for case in cases)
        write_file(self.path / CASES, "".join(lines))

    def answers(self, graph: str) -> list[KeptAnswer]:
        """Return the answers of a graph so far, in the order in which they came."""
        return read_rows(self._rows("answers", graph))

    def add_answer(self, graph: str, answer: KeptAnswer) -> None:
        """Keep an answer."""
        append_row(self._rows("answers", graph), answer)

    def judged(self, graph: str) -> list[JudgedSlice]:
        """Return what the evaluation graph said of slices of a graph's answers, so far."""
        return read_rows(self._rows("scores", graph))

    def add_judged(self, graph: str, row: JudgedSlice) -> None:
        """Keep what the evaluation graph said of a slice."""
        append_row(self._rows("scores", graph), row)

    def finish(self, scores: Mapping[str, Any]) -> None:
        """Write the scores, and that the run is whole."""
        write_file(self.path / SCORES, json.dumps(scores, ensure_ascii=False) + "\n")
        self.about["finished"] = self.about.get("finished") or now()
        self._write_about()

    def _write_about(self) -> None:
        write_file(self.path / ABOUT, json.dumps(self.about, ensure_ascii=False, indent=1) + "\n")

    def _rows(self, what: str, graph: str) -> Path:
        # two graphs may be called alike where they are named by their files
        number = list(self.about["graphs"]).index(graph)
        same = [name for name in list(self.about["graphs"])[:number] if _plain(name) == _plain(graph)]
        return self.path / f"{what}-{_plain(graph)}{f'-{len(same) + 1}' if same else ''}.jsonl"


def open_run(key: str, about: Mapping[str, Any], resume: bool | None) -> RunFolder:
    """Return the folder of a run: the one that was stopped, or a new one.

    :param key: hash of all that decides the results; only a run of the same key is gone on with.
    :param about: what a new run is about.
    :param resume: None to go on with a run that was stopped; True to take up a finished one, too; False to start anew.
    """
    runs = hub_home() / "eval" / "runs"
    if resume is not False:
        for path in sorted(runs.glob(f"*-{key}"), reverse=True):
            known = read_about(path)
            if resume or not known.get("finished"):
                return RunFolder(path, known)
            break  # the newest one is whole: this is another measurement
    path = _new(runs, key)
    begun = {"run_id": path.name, "key": key, "started": now(), "finished": None}
    folder = RunFolder(path, cast(RunAbout, {**begun, **about}))
    folder._write_about()
    return folder


def read_about(path: Path) -> RunAbout:
    """Return what stands in a run's `run.json`.

    :raises KhubError: when it cannot be read.
    """
    try:
        about: RunAbout = json.loads((path / ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FileError(f"{path / ABOUT} cannot be read: {error}", "delete the folder of this run") from error
    return about


def now() -> str:
    """Return the time as runs are marked with it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _new(runs: Path, key: str) -> Path:
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")[:-3]
    path = runs / f"{stamp}-{key}"
    private_folder(runs)
    path.mkdir()
    return path


def _plain(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "graph"
