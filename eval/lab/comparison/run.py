"""Run the measurements one after the other, each in a process of its own."""

import json
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from khub.eval.lab.comparison.data_set import COLD_RUNS, QUESTIONS_FILE
from khub.eval.lab.comparison.results import Results
from khub.eval.lab.comparison.system import CLASSES

FILES = "files"
MEASURES = ("ingest", "cold", "query")
IMPORT_FROM = Path(__file__).parents[3]
LAST_LINES = 3


class Runner:
    """Measures data sets, and keeps what it has measured.

    :param results: where figures go, and where those of earlier runs are.
    :param work: folder for generated files and indexes; what is finished is removed from it.
    :param tell: takes a line about what goes on.
    """

    def __init__(self, results: Results, work: Path, tell: Callable[..., None]) -> None:
        self.results = results
        self.work = work
        self.failed: list[str] = []
        self._settings = results.value["settings"]
        self._tell = tell

    def run(self, size: int, systems: Sequence[str], measures: Sequence[str]) -> None:
        """Make the measurements of a size that are not there yet.

        A measurement that fails is told and kept as an error; the others go on.

        :param size: number of chunks.
        :param systems: names of `system.CLASSES`.
        :param measures: some of `MEASURES`, and `files`.
        """
        data = str(size)
        wanted = [(name, what) for name in systems for what in MEASURES if what in measures]
        missing = [pair for pair in wanted if not self.results.get(data, *pair)]
        files = FILES in measures and not self.results.get(data, "hub", FILES)
        if not missing and not files:
            self._tell(data, "all is measured already")
            return
        folder = self.work / data
        if (files or not (folder / QUESTIONS_FILE).exists()) and not self._prepare(data, folder):
            return
        for name in CLASSES:
            self._system(data, folder, name, [what for system, what in missing if system == name])
        if all(self.results.get(data, *pair) for pair in wanted):
            shutil.rmtree(folder)

    def _prepare(self, data: str, folder: Path) -> bool:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        task = {"queries": self._settings["queries"], "seed": self._settings["seed"]}
        home = folder / "home"
        done = self._measure(data, folder, "hub", FILES, {**task, "index": str(home)})
        shutil.rmtree(home, ignore_errors=True)
        return done

    def _system(self, data: str, folder: Path, name: str, measures: Sequence[str]) -> None:
        if not measures:
            return
        index = folder / name
        if "ingest" in measures or not index.exists():
            shutil.rmtree(index, ignore_errors=True)
            index.mkdir()
            if not self._measure(data, folder, name, "ingest", {"index": str(index)}):
                return
        for what in measures:
            if what != "ingest":
                self._measure(data, folder, name, what, {"index": str(index), "top_k": self._settings["top_k"]})
        if all(self.results.get(data, name, what) for what in MEASURES):
            shutil.rmtree(index)

    def _measure(self, data: str, folder: Path, system: str, what: str, task: dict[str, Any]) -> bool:
        self._tell(data, system, what)
        whole = {**task, "size": int(data), "data": str(folder), "system": system, "measure": what}
        if what == "cold":
            figures = _median([self._child(folder, {**whole, "run": run}) for run in range(COLD_RUNS)])
        else:
            figures = self._child(folder, whole)
        self.results.put(data, system, what, figures)
        if "error" in figures:
            self.failed.append(f"{data}: {system}: {what}")
        self._tell(data, system, what, shown(figures))
        return "error" not in figures

    def _child(self, folder: Path, task: dict[str, Any]) -> dict[str, Any]:
        result = folder / "result.json"
        result.unlink(missing_ok=True)
        command = [sys.executable, "-W", "ignore", "-m", "khub.eval.lab.comparison.child"]
        done = subprocess.run(
            [*command, json.dumps({**task, "result": str(result)})],
            cwd=IMPORT_FROM, env=_environment(task["index"]), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            encoding="utf-8", errors="replace", check=False,
        )  # fmt: skip
        if result.exists():
            figures: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
            return figures
        last = " ".join(done.stderr.split("\n")[-1 - LAST_LINES :]).strip()
        return {"error": f"its process ended with status {done.returncode}: {last}"}


def shown(figures: dict[str, Any]) -> str:
    """Return the main figures of a measurement in one line."""
    if "error" in figures:
        return f"failed: {figures['error']}"
    names = ("chunks_per_s", "seconds", "p50_ms", "p95_ms", "p99_ms", "hit_rate", "disk_mb", "peak_mb")
    return ", ".join(f"{name} {figures[name]}" for name in names if name in figures)


def _median(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the run of median length, with the seconds of all."""
    if failed := next((run for run in runs if "error" in run), None):
        return failed
    seconds = [run["seconds"] for run in runs]
    middle = statistics.median_low(seconds)
    return {**next(run for run in runs if run["seconds"] == middle), "runs_s": seconds}


def _environment(home: str) -> dict[str, str]:
    from khub.server.graphs.folder import graph_folder

    switches = {"LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false", "PYTHONUTF8": "1"}
    own = {"KHUB_HOME": home, "KHUB_PIPELINES": str(graph_folder())}
    # traces and logs as they are by default: they are a part of what a user waits for
    kept = {key: value for key, value in os.environ.items() if key not in ("KHUB_TRACE", "KHUB_LOG_LEVEL")}
    return {**kept, **switches, **own}
