"""What HTTP costs: the service under `wrk`, beside as many processes without it.

See `python -m khub.eval.bench.service --help`.

It needs Debian's `wrk`. Every answer counts; those with another status than 200 are errors. Results go to
`eval/results/service.json`; `eval/results/service.md` is written from it.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from khub.eval.bench.corpus import Corpus
from khub.eval.bench.foundation import use_home, write_files
from khub.eval.bench.service_rate import ServiceRate, ServiceResult, ServiceRow
from khub.eval.machine import machine

REPOSITORY = Path(__file__).parents[2]
RESULTS = REPOSITORY / "eval" / "results" / "service.json"
SCRIPT = Path(__file__).with_name("service.lua")
CLIENTS = 20
PORT = 8931
QUESTIONS = 2000
HAYHOOKS_INPUTS = {"collection": "default", "top_k": 5, "filters": None, "legs": ["dense", "sparse"]}
"""An unchanged `hayhooks run` wants every input that a graph declares."""
HAYHOOKS_ENVIRONMENT = {
    "HAYSTACK_DESERIALIZATION_ALLOWLIST": "khub.*",
    "HAYHOOKS_TRACING_ENABLED": "false",
    "HAYHOOKS_MONITORING_ENABLED": "false",
    "PYTHONPATH": str(REPOSITORY),
}


def main() -> None:
    """Measure with each number of workers, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=Path("bench-data"), help="folder for generated files and the hub")
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--seconds", type=int, default=60, help="of each measurement")
    parser.add_argument("--workers", default="1,2", help="comma list")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    home = options.work.absolute() / f"home-service-{options.chunks}"
    use_home(home)
    if options.child:
        json.dump(_asked_directly(options.child, options.seconds), sys.stdout)
        return
    chunks = _filled(options.work.absolute(), options.chunks)
    rows: list[ServiceRow] = []
    for workers in map(int, options.workers.split(",")):
        rows += [
            {"what": "without HTTP", "workers": workers, **_processes(workers)},
            {"what": "khub serve", "workers": workers, **_service(workers, options, home)},
        ]
    rows.append({"what": "hayhooks run", "workers": 1, **_hayhooks(options, home)})
    result: ServiceResult = {
        "chunks": chunks,
        "clients": CLIENTS,
        "rows": rows,
        "machine": machine(),
        "date": time.strftime("%Y-%m-%d"),
    }
    RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    write_report(result, sys.argv[1:])


def _filled(work: Path, chunks: int) -> int:
    """Ingest the files with khub-fast, unless that was done; return how many chunks there are."""
    from khub.components.catalog.catalog import open_catalog
    from khub.server.library.ingest import ingest

    folder = work / f"files-{chunks}"
    write_files(folder, chunks)
    assert not ingest([str(folder)], graph_name="ingest_fast").failed
    return open_catalog().chunks.count("default")


def _questions() -> list[str]:
    corpora = Corpus("en", seed=7), Corpus("zh", seed=7)
    return [corpora[number % 4 == 0].question() for number in range(QUESTIONS)]


def _asked_directly(threads: int, seconds: int) -> dict[str, Any]:
    """Ask from so many threads for so long."""
    from khub.server.questions.ask import ask

    questions = _questions()
    for question in questions[:50]:
        ask(question, "default")
    until = time.monotonic() + seconds

    def keep_asking(first: int) -> int:
        count = 0
        while time.monotonic() < until:
            ask(questions[(first + count) % len(questions)], "default")
            count += 1
        return count

    with ThreadPoolExecutor(threads) as pool:
        started = time.monotonic()
        counts = list(pool.map(keep_asking, range(0, len(questions), len(questions) // threads)))
        return {"requests": sum(counts), "seconds": time.monotonic() - started}


def _processes(count: int) -> ServiceRate:
    command = [sys.executable, "-m", "khub.eval.bench.service", *sys.argv[1:], "--child", str(CLIENTS // count)]
    started = [subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE) for _ in range(count)]
    done = [json.loads(process.communicate()[0]) for process in started]
    return {"errors": 0, "questions_per_s": round(sum(one["requests"] / one["seconds"] for one in done), 1)}


def _service(workers: int, options: argparse.Namespace, home: Path) -> ServiceRate:
    command = [sys.executable, "-m", "khub.server.cli", "serve", "--port", str(PORT), "--workers", str(workers)]
    with _running(command, "/readyz"):
        return _wrk(options, home, {"collection": "default"})


def _hayhooks(options: argparse.Namespace, home: Path) -> ServiceRate:
    graphs = home.parent / "service-graphs"
    graphs.mkdir(exist_ok=True)
    shutil.copy(REPOSITORY / "pipelines" / "query.yaml", graphs)
    program = Path(sys.executable).with_name("hayhooks")
    command = [str(program), "run", "--port", str(PORT), "--pipelines-dir", str(graphs)]
    with _running(command, "/status", **HAYHOOKS_ENVIRONMENT):
        return _wrk(options, home, HAYHOOKS_INPUTS)


def _wrk(options: argparse.Namespace, home: Path, inputs: dict[str, Any]) -> ServiceRate:
    bodies = home.parent / "service-bodies.jsonl"
    bodies.write_text(
        "".join(json.dumps({"query": question, **inputs}, ensure_ascii=False) + "\n" for question in _questions()),
        encoding="utf-8",
    )
    command = ["wrk", "-t1", f"-c{CLIENTS}", "--timeout", "30s", "-s", str(SCRIPT)]
    url = f"http://127.0.0.1:{PORT}/query/run"
    subprocess.run([*command, "-d5s", url, "--", str(bodies)], check=True, stdout=subprocess.DEVNULL)  # warm
    done = subprocess.run(
        [*command, f"-d{options.seconds}s", url, "--", str(bodies)], check=True, stdout=subprocess.PIPE, text=True
    )
    told = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))
    rate = round(told["requests"] / told["seconds"], 1)
    more = {k: told[k] for k in told if k not in ("requests", "seconds")}
    return cast(ServiceRate, {"questions_per_s": rate, **more})


@contextmanager
def _running(command: Sequence[str], ready: str, **environment: str) -> Iterator[None]:
    process = subprocess.Popen(
        command, cwd=REPOSITORY, env={**os.environ, **environment}, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    try:
        until = time.monotonic() + 120
        while not _answers(f"http://127.0.0.1:{PORT}{ready}"):
            if process.poll() is not None or time.monotonic() > until:
                raise SystemExit(f"{' '.join(command)} does not serve")
            time.sleep(0.5)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=10) as reply:
            return bool(reply.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def write_report(result: ServiceResult, arguments: Sequence[str]) -> None:
    """Write the table."""
    command = f"python -m khub.eval.bench.service {' '.join(arguments)}".strip()
    about = (
        f"{result['chunks']:,} chunks (khub-fast), {result['clients']} clients, every fourth question Chinese; "
        f"{result['machine']}, {result['date']}. Without HTTP as many processes ask by themselves, in "
        f"{result['clients']} threads in all. `hayhooks run` is unchanged, on the same graphs."
    )
    lines = [
        "# The service under load",
        "",
        f"`{command}`",
        "",
        about,
        "",
        "| what | processes | questions/s | of those without HTTP | p50 ms | p95 ms | 40 / throughput, ms | errors |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    direct = {row["workers"]: row["questions_per_s"] for row in result["rows"] if row["what"] == "without HTTP"}
    for row in result["rows"]:
        rate = row["questions_per_s"]
        share = f"{rate / direct[row['workers']]:.0%}" if "p50_ms" in row and row["workers"] in direct else ""
        bound = f"{2 * result['clients'] / rate * 1000:.0f}" if rate else ""
        cells = [
            row["what"],
            row["workers"],
            rate,
            share,
            row.get("p50_ms", ""),
            row.get("p95_ms", ""),
            bound,
            row["errors"],
        ]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    RESULTS.with_suffix(".md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
