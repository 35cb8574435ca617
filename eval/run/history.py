"""`history.jsonl`: one line per run and graph, so that figures can be followed over time."""

import json
from pathlib import Path

from khub.eval.run.files import read_rows, write_file
from khub.eval.run.history_line import HistoryLine
from khub.eval.run.run_report import RunReport

HISTORY = "history.jsonl"


def add_to_history(folder: Path, report: RunReport) -> list[HistoryLine]:
    """Write a report's lines to the history of a folder; those of the same run are replaced.

    :returns: the whole history, oldest first.
    """
    lines = [_line(name, report) for name in report["graphs"]]
    kept = [row for row in read_rows(folder / HISTORY) if row.get("run_id") != report["run_id"]]
    rows = [*kept, *lines]
    write_file(folder / HISTORY, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return rows


def _line(name: str, report: RunReport) -> HistoryLine:
    graph = report["graphs"][name]
    return {
        "run_id": report["run_id"],
        "finished": report["finished"],
        "graph": name,
        "graph_hash": graph["hash"],
        "ingest": graph["ingest"],
        "model": graph["model"],
        "sets": {one["name"]: one["cases"] for one in report["sets"]},
        "documents_hash": report["documents"]["hash"],
        "machine": report["machine"],
        "figures": {metric: {**table["all"]} for metric, table in graph["metrics"].items()},
        "latency": graph["latency"],
    }
