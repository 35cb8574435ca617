"""What a question, the first one and a second ingest cost: `python -m khub.eval.bench.foundation --help`.

Each measurement runs in a process of its own, so that its peak memory is its own. Results go to
`eval/results/foundation.json`; `eval/results/foundation.md` is written from it.
"""

import argparse
import asyncio
import importlib.util
import json
import logging
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil

from khub.eval.bench.corpus import Corpus
from khub.eval.bench.foundation_report import RESULTS, write_report
from khub.eval.bench.foundation_results import (
    ColdResult,
    CommandCosts,
    CpuResult,
    GrowthRow,
    McpStartResult,
    ThroughputResult,
    UnchangedResult,
)
from khub.eval.figures import peak_mb
from khub.eval.machine import machine
from khub.server.nearby.asking import sockets_of

REPOSITORY = Path(__file__).parents[2]
GOLDEN = [REPOSITORY / "eval" / "golden" / f"{name}.jsonl" for name in ("handbook-en", "handbook-zh", "samples")]
DOCUMENT_CHARACTERS = 65_000
CHUNK_STEP = 675  # characters of new text in a chunk of the graph, measured
MEASURES = ("unchanged", "cold", "mcp", "cpu", "cpu-fast", "throughput", "growth", "growth-base")
QUESTION = "What does error code E-4012 mean?"
COLD_RUNS, MCP_RUNS = 11, 5
ASKING_THREADS = 8
THROUGHPUT_CHUNKS = 10_000
GROWTH = (1_000, 10_000, 50_000)
GROWTH_QUESTIONS = 200


def main() -> None:
    """Run the measurements that are asked for and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=Path("bench-data"), help="folder for generated files and indexes")
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
    command = [sys.executable, "-m", "khub.eval.bench.foundation", *sys.argv[1:], "--child", name]
    done = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, check=True)
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def _measure(name: str, options: argparse.Namespace) -> dict[str, Any]:
    logging.disable(logging.INFO)
    home = options.work / f"home-{name}"
    result: Mapping[str, Any]
    if name == "unchanged":
        result = _unchanged(options)
    elif name == "throughput":
        result = _throughput(options, home)
    elif name.startswith("growth"):
        graph = "ingest" if name == "growth-base" else "ingest_fast"
        result = {"rows": [_grown(options, home, graph, chunks) for chunks in GROWTH]}
    elif name.startswith("cpu"):
        result = _cpu(home, "ingest_fast" if name == "cpu-fast" else "ingest")
    else:
        result = _mcp(options) if name == "mcp" else _cold(options)
    return {**result, "peak_mb": peak_mb()}


def _unchanged(options: argparse.Namespace) -> UnchangedResult:
    folder = options.work / "files-1000"
    if not folder.exists():
        folder.mkdir(parents=True)
        for number, text in enumerate(Corpus("en", seed=3).documents(1000, 4000)):
            (folder / f"{number:04}.md").write_text(text, encoding="utf-8")
    use_home(options.work / "home-unchanged", fresh=True)
    from khub.server.library.ingest import ingest

    first = ingest([str(folder)])
    again = [ingest([str(folder)]) for _ in range(3)]
    return {
        "files": len(again[0].unchanged),
        "first_seconds": round(first.seconds, 2),
        "written_again": sum(len(result.written) for result in again),
        "files_per_s": round(statistics.median(len(r.unchanged) / r.seconds for r in again), 1),
    }


def _cold(options: argparse.Namespace) -> ColdResult:
    """Ask from the shell: first with no other process, then beside `khub serve`."""
    home = options.work / "home-cold"
    environment = {**os.environ, "KHUB_HOME": str(home)}
    khub = [sys.executable, "-m", "khub.server.cli"]
    subprocess.run([*khub, "ingest", "eval/samples"], env=environment, check=True, stdout=subprocess.DEVNULL)
    alone = [_cost([*khub, "query", QUESTION], environment) for _ in range(COLD_RUNS)]
    serve = [*khub, "serve", "--port", "0"]
    with subprocess.Popen(serve, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait_for(lambda: any(sockets_of(home)))
            subprocess.run([*khub, "query", QUESTION], env=environment, check=True, stdout=subprocess.DEVNULL)
            beside = [_cost([*khub, "query", QUESTION], environment) for _ in range(COLD_RUNS)]
        finally:
            process.terminate()
    torch = importlib.util.find_spec("torch") is not None
    return {"torch": torch, "alone": _costs(alone), "beside": _costs(beside)}


def _cost(command: list[str], environment: Mapping[str, str]) -> tuple[float, float]:
    """Run a command; return its seconds of the clock, and of the processor."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - started, cpu


def _costs(runs: list[tuple[float, float]]) -> CommandCosts:
    walls, cpus = zip(*runs, strict=True)
    median = statistics.median
    return {
        "runs": len(runs),
        "median_s": round(median(walls), 2),
        "max_s": round(max(walls), 2),
        "cpu_s": round(median(cpus), 2),
    }


def _wait_for(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        if time.monotonic() > deadline:
            raise TimeoutError("khub serve does not answer commands")
        time.sleep(0.1)


def _mcp(options: argparse.Namespace) -> McpStartResult:
    """Start `khub mcp`, greet it, and ask one question: CPU and memory of the process then."""
    environment = {**os.environ, "KHUB_HOME": str(options.work / "home-cold")}
    khub = [sys.executable, "-m", "khub.server.cli"]
    subprocess.run([*khub, "ingest", "eval/samples"], env=environment, check=True, stdout=subprocess.DEVNULL)
    costs = [asyncio.run(_asked_by_mcp([*khub, "mcp"], environment)) for _ in range(MCP_RUNS)]
    cpus, sizes, walls = zip(*costs, strict=True)
    median = statistics.median
    torch = importlib.util.find_spec("torch") is not None
    return {
        "torch": torch, "runs": len(costs), "cpu_s": round(median(cpus), 2), "memory_mb": round(median(sizes)),
        "median_s": round(median(walls), 2),
    }  # fmt: skip


async def _asked_by_mcp(command: list[str], environment: Mapping[str, str]) -> tuple[float, float, float]:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    started = time.perf_counter()
    parameters = StdioServerParameters(command=command[0], args=command[1:], env=dict(environment))
    async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
        await session.initialize()
        await session.call_tool("query_knowledge_hub", {"query": QUESTION})
        wall = time.perf_counter() - started
        [server] = psutil.Process().children()
        times = server.cpu_times()
        return times.user + times.system, server.memory_info().rss / 2**20, wall


def _cpu(home: Path, graph: str) -> CpuResult:
    """Ask the golden questions on the samples, one after the other: CPU of the whole process, all threads."""
    use_home(home, fresh=True)
    from khub.eval.cases import read_cases
    from khub.server.library.ingest import ingest
    from khub.server.questions.ask import ask

    ingest([str(REPOSITORY / "eval" / "samples")], graph_name=graph)
    questions = [case.question for file in GOLDEN for case in read_cases(file)]
    for question in questions:
        ask(question, "default")
    cpu, wall = time.process_time(), time.perf_counter()
    for question in questions:
        ask(question, "default")
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    count = len(questions)
    return {"questions": count, "cpu_ms": round(cpu / count * 1000, 1), "wall_ms": round(wall / count * 1000, 1)}


def _throughput(options: argparse.Namespace, home: Path) -> ThroughputResult:
    """Let several threads of one process ask; every answer counts, degraded ones are told."""
    folder = options.work / f"files-{THROUGHPUT_CHUNKS}"
    write_files(folder, THROUGHPUT_CHUNKS)
    use_home(home, fresh=True)
    from khub.components.catalog.catalog import open_catalog
    from khub.server.library.ingest import ingest
    from khub.server.questions.ask import ask

    ingest([str(folder)], graph_name="ingest_fast")
    corpus = Corpus("en", seed=7)
    questions = [corpus.question() for _ in range(options.queries)]
    for question in questions[:50]:
        ask(question, "default")
    with ThreadPoolExecutor(ASKING_THREADS) as threads:
        started = time.perf_counter()
        answers = list(threads.map(lambda question: ask(question, "default"), questions))
        seconds = time.perf_counter() - started
    return {
        "chunks": open_catalog().chunks.count("default"),
        "questions": len(answers),
        "questions_per_s": round(len(answers) / seconds, 1),
        "degraded": sum(bool(answer.degraded) for answer in answers),
    }


def _grown(options: argparse.Namespace, home: Path, graph: str, chunks: int) -> GrowthRow:
    """Ask a collection of a size, one question after the other: CPU, and the time of each stage."""
    folder = options.work / f"files-{chunks}"
    write_files(folder, chunks)
    use_home(home.with_name(f"{home.name}-{chunks}"), fresh=True)
    from khub.components.catalog.catalog import open_catalog
    from khub.server.library.ingest import ingest
    from khub.server.questions.ask import ask

    ingest([str(folder)], graph_name=graph)
    corpus = Corpus("en", seed=7)
    questions = [corpus.question() for _ in range(GROWTH_QUESTIONS + 50)]
    for question in questions[GROWTH_QUESTIONS:]:
        ask(question, "default")
    cpu, walls, stages = time.process_time(), list[float](), list[Mapping[str, float]]()
    for question in questions[:GROWTH_QUESTIONS]:
        started = time.perf_counter()
        stages.append(ask(question, "default").timings_ms)
        walls.append((time.perf_counter() - started) * 1000)
    cpu = time.process_time() - cpu
    names = sorted({name for one in stages for name in one})
    return {
        "chunks": open_catalog().chunks.count("default"),
        "cpu_ms": round(cpu / GROWTH_QUESTIONS * 1000, 1),
        "p50_ms": round(statistics.median(walls), 1),
        "stages_ms": {name: round(statistics.median(one.get(name, 0.0) for one in stages), 1) for name in names},
    }


def write_files(folder: Path, chunks: int) -> None:
    """Write documents that give so many chunks, unless they are there."""
    if folder.exists():
        return
    folder.mkdir(parents=True)
    count = max(1, round(chunks * CHUNK_STEP / DOCUMENT_CHARACTERS))
    for number, text in enumerate(Corpus("en").documents(count, DOCUMENT_CHARACTERS)):
        (folder / f"{number:05}.md").write_text(text, encoding="utf-8")


def use_home(home: Path, fresh: bool = False) -> None:
    """Let this process and those that it starts work in a hub with the repository's graphs."""
    if fresh and home.exists():
        import shutil

        shutil.rmtree(home)
    os.environ["KHUB_HOME"] = str(home)
    os.environ["KHUB_PIPELINES"] = str(REPOSITORY / "pipelines")


if __name__ == "__main__":
    main()
