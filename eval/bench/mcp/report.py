"""The table of what was measured, in `eval/results/mcp.md`, out of `eval/results/mcp.json`."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from khub.eval.bench.mcp.fresh_result import FreshResult
from khub.eval.bench.mcp.growth_result import GrowthResult
from khub.eval.bench.mcp.handshake_result import HandshakeResult
from khub.eval.bench.mcp.latency_result import LatencyResult
from khub.eval.bench.mcp.purity_result import PurityResult

RESULTS = Path(__file__).parents[2] / "results" / "mcp.json"
HEAD = """# The MCP server: what was measured

`python -m khub.eval.bench.mcp` (one part of it: `--only latency`) writes this file; sizes are options. Load is what the
system said of the last minute when the part began: figures of time taken on a busy machine say little.

| what | bar | measured | on |
| --- | --- | --- | --- |
"""


def read_results() -> dict[str, Any]:
    """Return what was measured so far."""
    return dict(json.loads(RESULTS.read_text(encoding="utf-8"))) if RESULTS.exists() else {}


def write_results(results: Mapping[str, Any]) -> None:
    """Keep the results, and write the table."""
    RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    rows = [f"| {_row(name, results[name])} |" for name in ROWS if name in results]
    RESULTS.with_suffix(".md").write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")


def _row(name: str, result: Mapping[str, Any]) -> str:
    what, bar, measured = ROWS[name]
    where = f"{result['machine']}, load {result['load']}, {result['date']}"
    return " | ".join((what, bar, measured(result), where))


def _purity(r: PurityResult) -> str:
    job = r["job"].get("result") or {}
    done = f"job {r['job']['state']}: {job.get('written')} written, {job.get('failed')} failed"
    return (
        f"{r['queries']} requests, {r['lines']} lines: {r['not_json_rpc']} not JSON-RPC, {r['lost']} lost, "
        f"{r['duplicate']} duplicate; errors: protocol {r['protocol_errors']}, tools {r['tool_errors']}; {done}"
    )


def _handshake(r: HandshakeResult) -> str:
    processor = f"processor time {r['hub_cpu_s']:.2f} s against {r['bare_cpu_s']:.2f} s: {r['cpu_ratio']} times"
    return (
        f"{r['hub_s']:.2f} s against {r['bare_s']:.2f} s: {r['ratio']} times ({processor}); "
        f"first real answer {r['first_query_s']:.2f} s, slowest {r['first_query_slowest_s']:.2f} s "
        f"(medians of {r['rounds']})"
    )


def _latency(r: LatencyResult) -> str:
    return (
        f"p50 {r['stdio_p50_ms']} ms against {r['in_process_p50_ms']} ms: {r['added_p50_ms']} ms more "
        f"({r['graph']}, {r['chunks']} chunks, {r['queries']} questions; p99 {r['stdio_p99_ms']} ms)"
    )


def _growth(r: GrowthResult) -> str:
    parts = [f"{name} {r['first'][name]} -> {r['last'][name]} ({grown:+} %)" for name, grown in r["grown_%"].items()]
    return f"{r['graph']}, after {r['looked_after']} and {r['queries']} questions: " + ", ".join(parts)


def _vanish(r: Mapping[str, Any]) -> str:
    cases = {name: case for name, case in r.items() if isinstance(case, dict)}
    return "; ".join(
        f"{name}: {case['gone_s']} s, {case['stayed']} stayed, {'whole' if case['whole'] else 'NOT whole'} again"
        for name, case in cases.items()
    )


def _fresh(r: FreshResult) -> str:
    return (
        f"{r['minutes']} min, {r['rounds']} changes, {r['checks']} looks, {r['stale']} stale, {r['ghosts']} ghosts; "
        f"{r['asked']} questions meanwhile, {r['errors']} errors, {r['degraded']} degraded; doctor {r['doctor']}"
    )


ROWS: dict[str, tuple[str, str, Callable[[Any], str]]] = {
    "purity": (
        "50 files in by a job (4 of them broken), mixed requests, 10 at a time",
        "every line JSON-RPC, 0 lost, 0 duplicate",
        _purity,
    ),
    "handshake": (
        "spawn to `initialize` answered, against a bare `MCPServer`; spawn to the first real answer",
        "<= 1.4 times; <= 3 s",
        _handshake,
    ),
    "latency": ("warm `query_knowledge_hub` over stdio, against the same graph in process", "+ <= 4 ms p50", _latency),
    "growth": ("memory, descriptors, threads over 5,000 questions", "<= 5 % over the first 500", _growth),
    "vanish": ("the client vanishes: until all processes are gone", "2 s, no orphan, no lock, job resumable", _vanish),
    "fresh": ("3 servers and 1 ingest on the same data", "all answers fresh and right for 5 minutes", _fresh),
}
