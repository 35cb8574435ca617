"""What the hub's own stages add to a query: `python -m eval.bench.stages --chunks 100000`.

The graph is asked as it is, and by turns with copies of it in which every stage of the hub's own (understanding,
ranking, the answer …) hands on what it gave for the same question before, without any work. The difference is what the
stages cost. The legs (stores and embedder) stay as they are, unless `--keep` says otherwise.
"""

import argparse
import logging
import os
import sys
import time
from pathlib import Path

from components.errors import KhubError
from eval.bench.machine import machine
from eval.bench.stages.report import RESULTS, write_report

REPOSITORY = Path(__file__).parents[3]


def main() -> None:
    """Measure, and write `stages.json` and `stages.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=Path("bench-data"), help="folder that keeps the collection")
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--graph", default="query")
    parser.add_argument("--keep", default="dense,sparse", help="comma list of stages that are not replayed")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the results")
    options = parser.parse_args()
    logging.disable(logging.INFO)
    os.environ.setdefault("KHUB_PIPELINES", str(REPOSITORY / "pipelines"))
    try:
        results = _measure(options)
    except KhubError as error:
        sys.exit(str(error))
    sys.stdout.write(write_report(options.out, results))


def _measure(options: argparse.Namespace) -> dict[str, object]:
    from components.catalog.collections import DEFAULT_COLLECTION
    from eval.bench.stages.collection import MODEL, questions, use_collection
    from eval.bench.stages.graphs import own_stages
    from eval.bench.stages.measure import Arms, measure
    from server.commands.progress import progress

    with progress(f"{options.chunks:,} chunks", "files") as report:
        chunks = use_collection(options.work.absolute(), options.chunks, lambda now: report(now.done, now.total, ""))
    kept = [name for name in options.keep.split(",") if name]
    stages = own_stages(options.graph, kept)
    warm = max(10, options.questions // 10)
    figures = measure(Arms(options.graph, MODEL, stages), questions(options.questions + warm), DEFAULT_COLLECTION, warm)
    load = " ".join(f"{value:.1f}" for value in os.getloadavg()) if hasattr(os, "getloadavg") else ""
    about = {"graph": options.graph, "chunks": chunks, "model": MODEL, "replayed": stages, "kept": kept}
    return {**about, "machine": machine(), "load": load, "date": time.strftime("%Y-%m-%d"), **figures}


if __name__ == "__main__":
    main()
