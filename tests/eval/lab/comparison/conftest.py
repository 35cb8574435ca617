import copy

import pytest


@pytest.fixture
def results():
    """What bench.json holds after a run at two sizes: LangChain twice as fast as the hub, or as the test changes it."""
    query = {"queries": 200, "p50_ms": 10.0, "p95_ms": 12.0, "p99_ms": 15.5, "hit_rate": 0.985, "degraded": 0,
             "stages_p50_ms": {}, "peak_mb": 300, "date": "2026-01-02"}  # fmt: skip
    ingest = {"chunks": 1000, "seconds": 2.0, "chunks_per_s": 500.0, "parts_s": {"embed": 0.5}, "disk_mb": 12.5,
              "peak_mb": 250, "date": "2026-01-02"}  # fmt: skip
    cold = {"seconds": 1.25, "runs_s": [1.2, 1.25, 1.5], "parts_s": {"import": 0.5, "open": 0.25, "answer": 0.5},
            "peak_mb": 200, "date": "2026-01-02"}  # fmt: skip
    files = {"files": 40, "failed": 1, "chunks": 1100, "kept": 1000, "characters": 700_000, "seconds": 4.0,
             "chunks_per_s": 275.0, "stages_ms": {"convert": 500.0, "write": 3000.0}, "peak_mb": 260,
             "date": "2026-01-02"}  # fmt: skip
    stages = {"dense": 4.0, "sparse": 3.0, "total": 9.5}
    small = {
        "hub": {"files": files, "ingest": ingest, "cold": cold, "query": {**query, "stages_p50_ms": stages}},
        "langchain": {
            "ingest": {**ingest, "chunks_per_s": 1000.0, "seconds": 1.0, "parts_s": {"embed": 0.5, "keyword": 0.2}},
            "cold": cold,
            "query": {**query, "p50_ms": 5.0},
        },
        "haystack": {"ingest": ingest, "cold": cold, "query": {**query, "p50_ms": 20.0}},
    }
    large = copy.deepcopy(small)
    large["hub"]["query"]["p50_ms"] = 20.0
    for system in large.values():
        system["ingest"]["chunks"] = 100_000
    return {
        "settings": {"queries": 200, "top_k": 10, "seed": 7, "leg_top_k": 30, "model": "khub-fast"},
        "machine": "2 cores, Linux",
        "versions": {"haystack-ai": "3.4.0"},
        "data_sets": {"100000": large, "1000": small},
    }
