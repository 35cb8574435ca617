"""Whether a service stays as it is: after many uploads and many MCP sessions, and while it reads a large scan.

See `python -m khub.eval.bench.endurance --help`. Linux alone tells the open files of a process. Results go to
`eval/results/endurance.json`; `eval/results/endurance.md` is written from it.
"""

import argparse
import io
import json
import statistics
import sys
import time
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from khub.components.catalog.job_row import JobRow
from khub.eval.bench.corpus import Corpus
from khub.eval.bench.served_hub import REPOSITORY, TOKEN, ServedHub, serving, until
from khub.eval.machine import machine
from khub.eval.run.files import write_file

RESULTS = REPOSITORY / "eval" / "results" / "endurance.json"
CHARACTERS = 2500
POINTS = 5
"""So often is looked at what the processes hold, after the first part."""
DRAWN = 20
"""Pages of a scan that differ; a larger one repeats them."""
ASKED = 200


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--uploads", type=int, default=1000)
    parser.add_argument("--sessions", type=int, default=1000)
    parser.add_argument("--pages", type=int, default=500, help="of the scan")
    parser.add_argument("--only", default="uploads,sessions,dropped,scan", help="comma list of these")
    parser.add_argument("--work", type=Path, default=None, help="where the hubs are made, and removed from again")
    options = parser.parse_args()
    ways: dict[str, Callable[[], Any]] = {
        "uploads": lambda: _uploads(options.uploads, options.work),
        "sessions": lambda: _sessions(options.sessions, True, options.work),
        "dropped": lambda: _sessions(options.sessions, False, options.work),
        "scan": lambda: _scan(options.pages, options.work),
    }
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    for name in options.only.split(","):
        results[name] = {"points": ways[name](), "machine": machine(), "date": time.strftime("%Y-%m-%d")}
        sys.stderr.write(f"{name}: {json.dumps(results[name])}\n")
        write_file(RESULTS, json.dumps(results, indent=1) + "\n")
        write_file(RESULTS.with_suffix(".md"), _report(results))


def _uploads(count: int, work: Path | None) -> list[dict[str, int]]:
    corpus = Corpus("en", seed=5)
    with serving(work) as hub:
        return _held_after(hub, count, lambda: hub.upload([corpus.document(CHARACTERS).encode()]))


def _sessions(count: int, ends: bool, work: Path | None) -> list[dict[str, int]]:
    with serving(work) as hub:
        hub.upload([Corpus("en", seed=5).document(CHARACTERS).encode()])
        return _held_after(hub, count, lambda: _mcp_session(hub, ends))


def _held_after(hub: ServedHub, count: int, act: Callable[[], object]) -> list[dict[str, int]]:
    """Do something many times; return what the service holds after each part, the processes of its jobs beside it."""
    points = []
    for number in range(1, count + 1):
        act()
        if number % max(1, count // POINTS) == 0:
            jobs = sum(hub.resident_mb()[1:])
            own = hub.process
            points.append(
                {"done": number, "service_mb": hub.resident_mb()[0], "jobs_mb": jobs}
                | {"threads": own.num_threads(), "files": own.num_fds()}
            )
    return points


def _mcp_session(hub: ServedHub, ends: bool) -> None:
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    session, _ = _asked(hub, "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}, headers)
    headers |= {"Mcp-Session-Id": session} if session else {}
    _asked(hub, "/mcp", {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}, headers)
    if ends and session:
        _asked(hub, "/mcp", None, headers)


def _scan(pages: int, work: Path | None) -> list[dict[str, float]]:
    """Return the times of questions of an idle hub, and of one that reads a scan, in milliseconds."""
    corpus = Corpus("en", seed=5)
    with serving(work) as hub:
        hub.upload([corpus.document(CHARACTERS).encode() for _ in range(30)])
        questions = [corpus.question() for _ in range(ASKED)]
        for question in questions[:30]:
            _ask(hub, question)
        idle = [_ask(hub, question) for question in questions]
        job = hub.send({"scan.pdf": _drawn_scan(pages)})
        until(lambda: bool(_job(hub, job).get("progress", {}).get("stage")), 0.1)
        reading = [_ask(hub, question) for question in questions]
        if (state := _job(hub, job)["state"]) != "running":
            raise SystemExit(f"the scan was not being read to the end of the questions, but {state}")
        return [{"pages": 0, **_times(idle)}, {"pages": pages, **_times(reading)}]


def _job(hub: ServedHub, job_id: str) -> JobRow:
    row = hub.catalog.jobs.get(job_id)
    if row is None:
        raise SystemExit(f"the hub has no job {job_id}")
    return row


def _ask(hub: ServedHub, question: str) -> float:
    started = time.perf_counter()
    _asked(hub, "/query/run", {"query": question}, {"Content-Type": "application/json"})
    return (time.perf_counter() - started) * 1000


def _times(spent: Sequence[float]) -> dict[str, float]:
    return {
        "p50_ms": round(statistics.median(spent), 1),
        "p95_ms": round(statistics.quantiles(spent, n=20)[-1], 1),
    }


def _asked(hub: ServedHub, path: str, body: Any, headers: dict[str, str]) -> tuple[str, bytes]:
    """Send a request, DELETE where there is no body; return the session that the reply names, and what it holds."""
    data = None if body is None else json.dumps(body).encode()
    sent = {"Authorization": f"Bearer {TOKEN}", **headers}
    request = urllib.request.Request(hub.address + path, data, sent, method="DELETE" if data is None else "POST")
    with urllib.request.urlopen(request, timeout=120) as reply:
        return str(reply.headers.get("Mcp-Session-Id") or ""), bytes(reply.read())


def _drawn_scan(pages: int) -> bytes:
    """Return a PDF whose pages are pictures of text."""
    corpus, font = Corpus("en", seed=9), ImageFont.load_default(28)
    drawn = []
    for _ in range(min(pages, DRAWN)):
        page = Image.new("L", (1240, 1754), 255)
        words = corpus.document(1500).split()
        lines = [" ".join(words[start : start + 12]) for start in range(0, len(words), 12)]
        ImageDraw.Draw(page).multiline_text((90, 110), "\n".join(lines[:34]), fill=20, font=font, spacing=16)
        drawn.append(page)
    every = [drawn[number % len(drawn)] for number in range(pages)]
    written = io.BytesIO()
    every[0].save(written, "PDF", save_all=True, append_images=every[1:], resolution=150)
    return written.getvalue()


def _report(results: dict[str, Any]) -> str:
    lines = ["# Endurance", "", "`python -m khub.eval.bench.endurance`, a `khub serve` of its own for each."]
    titles = {
        "uploads": "uploads of a page, one by one",
        "sessions": "MCP sessions, each ended by its client",
        "dropped": "MCP sessions that nobody ends (forgotten after half an hour, and beyond 2,000)",
    }
    for name, title in titles.items():
        if name in results:
            lines += ["", f"| {title} | service MB | processes of jobs MB | threads | open files |"]
            lines += ["| ---: | ---: | ---: | ---: | ---: |"]
            lines += [
                f"| {' | '.join(f'{value:,}' for value in point.values())} |" for point in results[name]["points"]
            ]
            lines += ["", _where(results[name])]
    if "scan" in results:
        lines += ["", "| a scan that is being read, pages | question p50 ms | p95 ms |", "| ---: | ---: | ---: |"]
        lines += [f"| {p['pages'] or 'none'} | {p['p50_ms']} | {p['p95_ms']} |" for p in results["scan"]["points"]]
        lines += ["", _where(results["scan"])]
    return "\n".join(lines) + "\n"


def _where(result: dict[str, Any]) -> str:
    return f"On {result['machine']}, {result['date']}."


if __name__ == "__main__":
    main()
