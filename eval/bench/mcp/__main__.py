"""Measure the MCP server over standard input/output: `python -m khub.eval.bench.mcp --help`.

Results go to `eval/results/mcp.json`; `eval/results/mcp.md` is written from it.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from khub.eval.bench.mcp import fresh, growth, handshake, latency, purity, vanish
from khub.eval.bench.mcp.hub import INGEST_GRAPHS
from khub.eval.bench.mcp.report import ROWS, read_results, write_results
from khub.eval.machine import machine


def main() -> None:
    """Run the measurements that are asked for and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path("bench-data/mcp"), help="folder for generated files and hubs")
    parser.add_argument("--only", default=",".join(ROWS), help=f"comma list of: {', '.join(ROWS)}")
    parser.add_argument(
        "--ingest",
        choices=INGEST_GRAPHS,
        default="ingest",
        help="of `latency` and `growth`; ingest_fast fills its hub sooner",
    )
    parser.add_argument("--chunks", type=int, default=100_000, help="size of the hub of `latency` and `growth`")
    parser.add_argument("--small", type=int, default=2_000, help="size of the hub of the others")
    parser.add_argument("--requests", type=int, default=500, help="of `purity`")
    parser.add_argument("--queries", type=int, default=5_000, help="of `growth`; a tenth of it of `latency`")
    parser.add_argument("--rounds", type=int, default=11, help="of `handshake`")
    parser.add_argument("--minutes", type=float, default=5, help="of `fresh`")
    options = parser.parse_args()
    options.work = options.work.absolute()
    for name in options.only.split(","):
        about = {"machine": machine(), "load": _load(), "date": time.strftime("%Y-%m-%d")}
        result = {**_measure(name, options), **about}
        sys.stderr.write(f"{name}: {json.dumps(result, ensure_ascii=False)}\n")
        write_results({**read_results(), name: result})  # another part may have been measured meanwhile


def _measure(name: str, options: argparse.Namespace) -> Mapping[str, Any]:
    measures: dict[str, Callable[[], Mapping[str, Any]]] = {
        "purity": lambda: purity.run(options.work, options.requests, options.small),
        "handshake": lambda: handshake.run(options.work, options.rounds, options.small),
        "latency": lambda: latency.run(options.work, max(10, options.queries // 10), options.chunks, options.ingest),
        "growth": lambda: growth.run(options.work, options.queries, options.chunks, options.ingest),
        "vanish": lambda: vanish.run(options.work, options.small),
        "fresh": lambda: fresh.run(options.work, options.minutes, options.small),
    }
    return measures[name]()


def _load() -> float | None:
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None


if __name__ == "__main__":
    main()
