"""What the protocol adds to a question: `query_knowledge_hub` over standard input and output, and the graph in process.

Both are asked the same questions by turns, so that the load of the machine falls on both.
"""

import os
import time
from pathlib import Path

from khub.eval.bench.mcp.client import client
from khub.eval.bench.mcp.hub import ROOT, filled_hub, questions
from khub.eval.bench.mcp.latency_result import LatencyResult
from khub.eval.figures import percentile

WARM_UP = 30


def run(work: Path, queries: int, chunks: int, ingest_graph: str = "ingest") -> LatencyResult:
    """Ask over both ways.

    :returns: medians in milliseconds, and the median of what each question took longer over the protocol.
    """
    home = filled_hub(work, chunks, ingest_graph)
    os.environ.update({"KHUB_HOME": str(home), "KHUB_PIPELINES": str(ROOT / "pipelines")})
    from khub.components.catalog.catalog import open_catalog
    from khub.server.questions.ask import ask

    direct, served = [], []
    with client(home) as running:
        for number, question in enumerate(questions(queries + WARM_UP)):
            began = time.perf_counter()
            ask(question, top_k=5)
            between = time.perf_counter()
            running.call("query_knowledge_hub", query=question)
            ended = time.perf_counter()
            if number >= WARM_UP:
                direct.append((between - began) * 1000)
                served.append((ended - between) * 1000)
    more = [after - before for before, after in zip(direct, served, strict=True)]
    return {
        "graph": ingest_graph,
        "chunks": open_catalog().chunks.count("default"),
        "queries": queries,
        "in_process_p50_ms": round(percentile(direct, 50), 2),
        "stdio_p50_ms": round(percentile(served, 50), 2),
        "stdio_p99_ms": round(percentile(served, 99), 2),
        "added_p50_ms": round(percentile(more, 50), 2),
        "difference_of_p50_ms": round(percentile(served, 50) - percentile(direct, 50), 2),
    }
