from pathlib import Path

import pytest
import yaml

from eval.bench.degraded.__main__ import Case, broken, cases, markdown, measure
from eval.bench.degraded.broken import RELEASE
from server.library.ingest import ingest
from tests.server.hub_files import PIPELINES

GRAPH = yaml.safe_load((PIPELINES / "query.yaml").read_text(encoding="utf-8"))


@pytest.mark.unit
def test_each_guarded_stage_fails_in_both_ways_and_both_legs_together() -> None:
    found = set(cases(GRAPH))
    assert {Case(("rank",), "raises"), Case(("translate",), "hangs"), Case(("dense",), "has no embedder")} <= found
    assert Case(("dense", "sparse"), "hangs") in found
    assert not any("answer" in case.stages for case in found)


@pytest.mark.integration
def test_a_hanging_stage_is_measured_against_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graphs = tmp_path / "graphs"
    graphs.mkdir()
    for name in ("query", "ingest_fast"):
        (graphs / f"{name}.yaml").write_bytes((PIPELINES / f"{name}.yaml").read_bytes())
    data = broken(GRAPH, Case((), "works"), 0)
    (graphs / "query.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    monkeypatch.setenv("KHUB_PIPELINES", str(graphs))
    monkeypatch.setenv("KHUB_ALLOWED_MODULES", "eval.bench.degraded.broken")
    monkeypatch.setattr("eval.bench.degraded.__main__.cases", lambda _: [Case(("rank",), "hangs")])
    note = tmp_path / "note.md"
    note.write_text("# Codes\n\nE-4012 means that the window is blocked.\n", encoding="utf-8")
    ingest([str(note)], "demo", "ingest_fast")
    RELEASE.clear()
    try:
        works, hangs = measure(graphs, "query", 0.2, 1)
    finally:
        RELEASE.set()
    assert (works["said"], hangs["said"]) == ([], ["rank"])
    assert hangs["over_ms"] > 0
    assert f"| rank | hangs | rank | {hangs['over_ms']} |" in markdown([works, hangs], 0.2)
