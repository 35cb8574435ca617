"""How much longer than its time limit a query takes in which a part fails: `python -m eval.bench.degraded`.

Each guarded stage of the graph is broken in turn: it raises, or it hangs until its limit (`--limit` seconds). The
question goes to the samples through the whole graph; `over` is the time of the answer less the limit of what hangs.
"""

import argparse
import logging
import os
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from eval.bench.machine import machine

REPOSITORY = Path(__file__).parents[3]
RESULTS = REPOSITORY / "eval" / "results"
BROKEN = "eval.bench.degraded.broken.Broken"
COLLECTION = "demo"
QUESTION = "What does error code E-4012 mean?"


NOTES = """\
One guarded stage of `query` (or both legs) raises, or hangs until its limit, here {limit:g} s; the samples are asked.
*over*: the median time of the whole answer, where a stage hangs less its limit. *told*: the stages that the answer
names as degraded."""
MANY = 1000
"""Calls of a stage that may hang, so that none is refused for those before it."""


class Case(NamedTuple):
    """One way in which the graph fails."""

    stages: tuple[str, ...]
    how: str


def cases(data: dict[str, Any]) -> Iterator[Case]:
    """Yield each guarded stage, raising and hanging, the missing embedder, and both legs at once."""
    from components.guard import Guard
    from server.graphs.load import load_graph

    for name, part in load_graph("query").pipeline.walk():
        if name in data["components"] and isinstance(part, Guard):
            yield from (Case((name,), how) for how in ("raises", "hangs"))
    yield Case(("dense",), "has no embedder")
    yield from (Case(("dense", "sparse"), how) for how in ("raises", "hangs"))


def broken(data: dict[str, Any], case: Case, limit_s: float) -> dict[str, Any]:
    """Return a graph with broken stages."""
    changed: dict[str, Any] = yaml.safe_load(yaml.safe_dump(data))
    for name in case.stages:
        entry = changed["components"][name]
        if case.how == "has no embedder":
            embedder = {"type": "components.embedders.text_embedder.TextEmbedder"}
            entry["init_parameters"]["embedder"] = embedder | {"init_parameters": {"model": "/nowhere/model"}}
            continue
        changed["components"][name] = {"type": BROKEN, "init_parameters": {"component": entry, "how": case.how}}
        changed["metadata"]["guard"] = {"timeout_s": limit_s, "max_hung": MANY}
    return changed


def measure(folder: Path, graph: str, limit_s: float, repeats: int) -> list[dict[str, Any]]:
    """Ask through every broken graph.

    :param folder: of the graphs ($KHUB_PIPELINES); gets a file for each case.
    :param graph: name of the graph that is broken.
    :param limit_s: of a stage that hangs.
    :param repeats: questions for each case, behind a first one that opens the stores.
    :returns: for each case the stages, how they fail, what the answer said, milliseconds over the limit.
    """
    from server.questions.ask import ask

    data = yaml.safe_load((folder / f"{graph}.yaml").read_text(encoding="utf-8"))
    ask(QUESTION, COLLECTION, graph)
    rows = []
    for number, case in enumerate([Case((), "works"), *cases(data)]):
        name = f"broken_{number}"
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(broken(data, case, limit_s)), encoding="utf-8")
        waits_ms = 1000 * limit_s if case.how == "hangs" else 0
        _asked(name)
        answers = [_asked(name) for _ in range(repeats)]
        over = statistics.median(milliseconds - waits_ms for _, milliseconds in answers)
        row = {"stages": case.stages, "how": case.how, "said": answers[-1][0], "over_ms": round(over, 1)}
        rows.append(row)
    return rows


def _asked(graph: str) -> tuple[list[str] | str, float]:
    from components.errors import RetrievalError
    from server.questions.ask import ask

    start = time.perf_counter()
    try:
        said: list[str] | str = sorted({entry["stage"] for entry in ask(QUESTION, COLLECTION, graph)["degraded"]})
    except RetrievalError:
        said = "an error"
    return said, 1000 * (time.perf_counter() - start)


def markdown(rows: list[dict[str, Any]], limit_s: float) -> str:
    """Return the table."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown"
    lines = [
        "# When a part fails",
        "",
        f"{machine()}, {time.strftime('%Y-%m-%d')}, load {load}. Written by `python -m eval.bench.degraded`.",
        "",
        NOTES.format(limit=limit_s),
        "",
        "| stage | fails by | told | over, ms |",
        "| --- | --- | --- | ---: |",
    ]
    for row in rows:
        told = row["said"] if isinstance(row["said"], str) else ", ".join(row["said"]) or "nothing"
        lines.append(f"| {', '.join(row['stages']) or '(none)'} | {row['how']} | {told} | {row['over_ms']} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Fill a collection with the samples where there is none, measure, write `degraded.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=Path("bench-data"), help="folder that keeps the collection")
    parser.add_argument("--limit", type=float, default=0.5, help="seconds that a stage may hang")
    parser.add_argument("--repeats", type=int, default=9, help="questions for each case")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the result")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    work = options.work.absolute()
    graphs = work / "graphs"
    graphs.mkdir(parents=True, exist_ok=True)
    (graphs / "query.yaml").write_bytes((REPOSITORY / "pipelines" / "query.yaml").read_bytes())
    (graphs / "ingest.yaml").write_bytes((REPOSITORY / "pipelines" / "ingest.yaml").read_bytes())
    os.environ |= {
        "KHUB_HOME": str(work / "home"),
        "KHUB_PIPELINES": str(graphs),
        "KHUB_ALLOWED_MODULES": BROKEN.rpartition(".")[0],
    }
    from eval.bench.degraded.broken import RELEASE
    from server.library.ingest import ingest

    ingest([str(REPOSITORY / "eval" / "samples")], COLLECTION, "ingest")
    try:
        text = markdown(measure(graphs, "query", options.limit, options.repeats), options.limit)
    finally:
        RELEASE.set()
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "degraded.md").write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
