import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.home import hub_home
from khub.eval.bench.chunk_bytes import DIMENSION, hub_bytes
from khub.eval.bench.sizes_report import report
from khub.server.library.ingest import ingest

BYTES = {"catalog": 4200, "text": 800, "tokens": 300, "vectors": 1536, "keywords": 400, "vector_index": 2400}
TIMES = {"ingest_cpu_ms": 2.0, "rebuild_cpu_ms": 0.5, "median_ms": 30.0, "load": 1.0, "machine": "one", "date": "today"}
TOLD = {"catalog": "a file", "model": "khub-fast", "text": "English"}
SMALL = {**TOLD, "chunks": 100, "bytes": BYTES, "memory": 90, "after_commit_ms": 100, **TIMES}


@pytest.mark.integration
@pytest.mark.usefixtures("converted_here")
@pytest.mark.parametrize("in_postgres", [False, True], ids=["file", "postgres"])
def test_what_the_columns_hold_is_what_the_chunks_have(in_postgres, tmp_path, monkeypatch, request):
    monkeypatch.setenv("KHUB_DATABASE_URL", request.getfixturevalue("new_database")() if in_postgres else "")
    file = tmp_path / "notes.md"
    file.write_text("# Notes\n\nHerons wade.\n\n# 笔记\n\n苍鹭在水里走。\n", encoding="utf-8")
    ingest([str(file)], "notes", "ingest_fast")
    found = hub_bytes(hub_home(), in_postgres)
    chunks = list(open_catalog().chunks.visible("notes"))
    assert found["text"] == sum(len((chunk.content or "").encode()) for chunk in chunks)
    assert found["vectors"] == len(chunks) * DIMENSION * 4
    assert found["catalog"] > found["text"] + found["tokens"] + found["vectors"]
    assert found["keywords"] > 0
    assert found["vector_index"] > 0


@pytest.mark.unit
def test_what_was_not_measured_is_left_empty():
    bare = {key: value for key, value in SMALL.items() if key not in ("memory", "after_commit_ms")}
    sizes = {**BYTES, "pgvector_table": 1642, "pgvector_index": 2049}
    page = "\n".join(report({"postgres-zh": {**bare, "catalog": "PostgreSQL", "bytes": sizes}}))
    assert "| 100 | 1,642 | 2,049 |" in page
    assert "| PostgreSQL | khub-fast | English | 100 | 2.00 | 500 |  |  |  |  | 1.0 | one, today |" in page
