"""Speed and memory of ingest and query at a given size: `python -m eval.bench.foundation --help`.

Each measurement runs in a process of its own, so that its peak memory is its own. Results go to
`eval/results/foundation.json`; `eval/results/foundation.md` is written from it.
"""

import argparse
import json
import logging
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from eval.bench.corpus import Corpus
from eval.bench.figures import folder_mb, peak_mb, percentile
from eval.bench.foundation_report import RESULTS, write_report
from eval.bench.machine import machine

REPOSITORY = Path(__file__).parents[2]
DOCUMENT_CHARACTERS = 65_000
CHUNK_STEP = 545  # characters of new text in a chunk of 800, measured: chunks end at sentences and overlap
MEASURES = ("ingest-en", "ingest-zh", "query", "unchanged", "cold")


def main() -> None:
    """Run the measurements that are asked for and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=Path("bench-data"), help="folder for generated files and indexes")
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--only", default=",".join(MEASURES), help=f"comma list of: {', '.join(MEASURES)}")
    parser.add_argument("--child", choices=MEASURES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.work = options.work.absolute()
    if options.child:
        json.dump(_measure(options.child, options), sys.stdout)
        return
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    for name in options.only.split(","):
        results[name] = {**_in_own_process(name), "machine": machine(), "date": time.strftime("%Y-%m-%d")}
        sys.stderr.write(f"{name}: {json.dumps(results[name])}\n")
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    write_report()


def _in_own_process(name: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "eval.bench.foundation", *sys.argv[1:], "--child", name]
    done = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def _measure(name: str, options: argparse.Namespace) -> dict[str, Any]:
    logging.disable(logging.INFO)
    home = options.work / f"home-{name.removeprefix('ingest-')}"
    if name.startswith("ingest"):
        result = _ingest(name.removeprefix("ingest-"), options, home)
    elif name == "query":
        result = _query(options)
    elif name == "unchanged":
        result = _unchanged(options)
    else:
        result = _cold(options)
    return {**result, "peak_mb": peak_mb()}


def _ingest(language: str, options: argparse.Namespace, home: Path) -> dict[str, Any]:
    folder = options.work / f"files-{language}-{options.chunks}"
    _write_files(folder, language, options.chunks)
    _use(home, fresh=True)
    from server.library.ingest import ingest

    _load_everything(options.work / "warm.md")
    result = ingest([str(folder)], graph_name="ingest_fast")
    chunks = sum(written["chunks"] for written in result.written)
    return {
        "chunks": chunks,
        "documents": len(result.written),
        "failed": len(result.failed),
        "seconds": round(result.seconds, 1),
        "chunks_per_s": round(chunks / result.seconds, 1),
        "disk_mb": folder_mb(home),
    }


def _query(options: argparse.Namespace) -> dict[str, Any]:
    _use(options.work / "home-en")
    from components.catalog.catalog import open_catalog
    from server.questions.ask import ask

    corpus = Corpus("en", seed=7)
    questions = [corpus.question() for _ in range(options.queries + 50)]
    for question in questions[:50]:
        ask(question, "default")
    times, stages, degraded = [], {}, 0
    for question in questions[50:]:
        started = time.perf_counter()
        answer = ask(question, "default")
        times.append((time.perf_counter() - started) * 1000)
        degraded += bool(answer["degraded"])
        for stage, ms in answer["timings_ms"].items():
            stages.setdefault(stage, []).append(ms)
    return {
        "chunks": open_catalog().chunks.count("default"),
        "queries": len(times),
        "p50_ms": round(percentile(times, 50), 2),
        "p99_ms": round(percentile(times, 99), 2),
        "degraded": degraded,
        "stages_p50_ms": {stage: round(percentile(values, 50), 2) for stage, values in stages.items()},
    }


def _unchanged(options: argparse.Namespace) -> dict[str, Any]:
    folder = options.work / "files-1000"
    if not folder.exists():
        folder.mkdir(parents=True)
        for number, text in enumerate(Corpus("en", seed=3).documents(1000, 4000)):
            (folder / f"{number:04}.md").write_text(text, encoding="utf-8")
    _use(options.work / "home-unchanged", fresh=True)
    from server.library.ingest import ingest

    first = ingest([str(folder)])
    again = [ingest([str(folder)]) for _ in range(3)]
    return {
        "files": len(again[0].unchanged),
        "first_seconds": round(first.seconds, 2),
        "written_again": sum(len(result.written) for result in again),
        "files_per_s": round(statistics.median(len(r.unchanged) / r.seconds for r in again), 1),
    }


def _cold(options: argparse.Namespace) -> dict[str, Any]:
    environment = {**os.environ, "KHUB_HOME": str(options.work / "home-cold")}
    khub = [sys.executable, "-m", "server.cli"]
    subprocess.run([*khub, "ingest", "eval/samples"], env=environment, check=True, stdout=subprocess.DEVNULL)
    seconds = []
    for _ in range(11):
        started = time.perf_counter()
        subprocess.run(
            [*khub, "query", "What does error code E-4012 mean?"],
            env=environment, check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        seconds.append(time.perf_counter() - started)
    return {"runs": len(seconds), "median_s": round(statistics.median(seconds), 2), "max_s": round(max(seconds), 2)}


def _load_everything(file: Path) -> None:
    """Load code and model before the clock starts: the bars are for the work, start-up is measured by `cold`."""
    from server.library.ingest import ingest

    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("# Warm\n\nA first document.\n", encoding="utf-8")
    ingest([str(file)], "warm", graph_name="ingest_fast")


def _write_files(folder: Path, language: str, chunks: int) -> None:
    if folder.exists():
        return
    folder.mkdir(parents=True)
    count = max(1, round(chunks * CHUNK_STEP / DOCUMENT_CHARACTERS))
    for number, text in enumerate(Corpus(language).documents(count, DOCUMENT_CHARACTERS)):
        (folder / f"{number:05}.md").write_text(text, encoding="utf-8")


def _use(home: Path, fresh: bool = False) -> None:
    if fresh and home.exists():
        import shutil

        shutil.rmtree(home)
    os.environ["KHUB_HOME"] = str(home)
    os.environ["KHUB_PIPELINES"] = str(REPOSITORY / "pipelines")


if __name__ == "__main__":
    main()
