"""Memory, descriptors and threads of a server over thousands of questions."""

import sys
from pathlib import Path
from typing import Any

import psutil

from khub.eval.bench.mcp.client import Client, client
from khub.eval.bench.mcp.growth_result import GrowthResult
from khub.eval.bench.mcp.hub import filled_hub, questions

FIRST_SHARE = 10


def run(work: Path, queries: int, chunks: int, ingest_graph: str = "ingest") -> GrowthResult:
    """Ask; look after the first tenth, and at the end.

    :returns: both, and by how many percent the second is more.
    """
    first: dict[str, float] = {}
    with client(filled_hub(work, chunks, ingest_graph)) as running:
        for number, question in enumerate(questions(queries), start=1):
            running.call("query_knowledge_hub", query=question)
            if number == queries // FIRST_SHARE:
                first = _size(running)
        last = _size(running)
    grown = {name: round(100 * (last[name] / first[name] - 1), 1) for name in first}
    return {
        "graph": ingest_graph,
        "queries": queries,
        "looked_after": queries // FIRST_SHARE,
        "first": first,
        "last": last,
        "grown_%": grown,
    }


def _size(running: Client) -> dict[str, float]:
    process: Any = psutil.Process(running.process.pid)
    descriptors = process.num_handles() if sys.platform == "win32" else process.num_fds()
    return {
        "memory_mb": round(process.memory_info().rss / 1e6, 1),
        "descriptors": descriptors,
        "threads": process.num_threads(),
    }
