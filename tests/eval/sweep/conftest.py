"""A small golden set about three small files, and graphs to edit."""

import json
from contextlib import contextmanager

import pytest

from khub.eval.run.golden_set import golden_sets
from khub.eval.sweep.parameter_path import read_settings
from khub.eval.sweep.sweep import SweepPlan, sweep
from tests.server.hub_files import copy_pipelines

ROWS = [
    {"id": "wade", "question": "Where do herons wade?", "source": "birds.md", "evidence": "shallow water"},
    {"id": "trout", "question": "Where do trout swim?", "source": "rivers/fish.txt", "evidence": "cold rivers"},
    {"id": "hotel", "question": "酒店每晚上限是多少？", "source": "预算.md", "evidence": "酒店每晚上限为六百元"},
]


@contextmanager
def quiet(what, unit):
    yield lambda done, total, more="": None


@pytest.fixture
def documents(tmp_path):
    folder = tmp_path / "documents"
    (folder / "rivers").mkdir(parents=True)
    (folder / "birds.md").write_text("# Birds\n\nHerons wade slowly in shallow water.\n", encoding="utf-8")
    (folder / "rivers" / "fish.txt").write_text("Trout swim upstream in cold rivers.\n", encoding="utf-8")
    (folder / "预算.md").write_text("# 差旅预算\n\n酒店每晚上限为六百元。\n", encoding="utf-8")
    return folder


@pytest.fixture
def golden(tmp_path):
    file = tmp_path / "small.jsonl"
    file.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS), encoding="utf-8")
    return file


@pytest.fixture
def pipelines(tmp_path, monkeypatch):
    """The shipped graphs, to be edited."""
    folder = copy_pipelines(tmp_path)
    monkeypatch.setenv("KHUB_PIPELINES", str(folder))
    return folder


@pytest.fixture
def plan(documents, golden):
    def make(*settings, graph="query", ingest="ingest_fast", **more):
        return SweepPlan(read_settings(settings), graph, ingest, golden_sets([str(golden)]), documents, **more)

    return make


@pytest.fixture
def run_sweep(plan):
    def run(*settings, resume=True, shown=quiet, **more):
        return sweep(plan(*settings, **more), resume, shown)

    return run
