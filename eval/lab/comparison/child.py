"""The process of one measurement: `python -m khub.eval.lab.comparison.child TASK`, where the task is a JSON object."""

import time

STARTED = time.perf_counter()  # before all imports: they are a part of a cold start

import json  # noqa: E402
import logging  # noqa: E402
import sys  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

from khub.components.errors import KhubError  # noqa: E402

FAILED = 3


def main() -> None:
    """Do what the task says, and write the figures to the file that it names; an error of the hub is one line there."""
    logging.disable(logging.INFO)
    task = json.loads(sys.argv[1])
    result = Path(task["result"])
    try:
        figures = _figures(task)
    except KhubError as error:
        result.write_text(json.dumps({"error": str(error)}), encoding="utf-8")
        sys.exit(FAILED)
    from khub.eval.figures import peak_mb

    result.write_text(json.dumps({**figures, "peak_mb": peak_mb()}), encoding="utf-8")


def _figures(task: dict[str, Any]) -> dict[str, Any]:
    data = Path(task["data"])
    if task["measure"] == "files":
        from khub.eval.lab.comparison.data_set import prepare

        return prepare(task["size"], data, task["queries"], task["seed"])
    from khub.eval.lab.comparison import measure

    name, index = task["system"], Path(task["index"])
    if task["measure"] == "ingest":
        return measure.measure_ingest(name, data, index)
    if task["measure"] == "cold":
        return measure.measure_cold(name, data, index, task["run"], task["top_k"], STARTED)
    return measure.measure_query(name, data, index, task["top_k"])


if __name__ == "__main__":
    main()
