"""A small golden set about three small files, and the shipped fast graphs to ask."""

import json
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest

from khub.eval.run.evaluation import Plan, evaluate
from khub.eval.run.golden_set import golden_sets
from tests.server.hub_files import PIPELINES

ROWS = [
    {"id": "wade", "question": "Where do herons wade?", "source": "birds.md", "evidence": "shallow water"},
    {"id": "trout", "question": "Where do trout swim?", "source": "rivers/fish.txt", "evidence": "cold rivers"},
    {
        "id": "hotel", "question": "酒店每晚上限是多少？", "kind": "table",
        "source": "预算.md", "evidence": "酒店每晚上限为六百元",
    },
    {"id": "moon", "question": "zzyzx qwfpgj vmkjh?"},
]  # fmt: skip


@pytest.fixture
def documents(tmp_path):
    folder = tmp_path / "documents"
    (folder / "rivers").mkdir(parents=True)
    (folder / "birds.md").write_text("# Birds\n\nHerons wade slowly in shallow water.\n", encoding="utf-8")
    (folder / "rivers" / "fish.txt").write_text("Trout swim upstream in cold rivers.\n", encoding="utf-8")
    (folder / "预算.md").write_text("# 差旅预算\n\n酒店每晚上限为六百元。\n", encoding="utf-8")
    return folder


@pytest.fixture
def golden_file(tmp_path):
    def write(rows=ROWS, name="small"):
        file = tmp_path / f"{name}.jsonl"
        file.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
        return file

    return write


@pytest.fixture
def pipelines(tmp_path, monkeypatch):
    """The shipped graphs, to be edited."""
    folder = Path(shutil.copytree(PIPELINES, tmp_path / "graphs"))
    monkeypatch.setenv("KHUB_PIPELINES", str(folder))
    return folder


@contextmanager
def quiet(what, unit):
    yield lambda done, total, more="": None


@pytest.fixture
def run_small(documents, golden_file):
    """Return a function that evaluates the small set; it returns the run's folder and the report."""

    def run(graphs=("query",), resume=None, shown=quiet, **plan):
        file = golden_file()
        plan = {"ingest": "ingest_fast", **plan}
        return evaluate(Plan(golden_sets([str(file)]), documents, graphs, **plan), resume, shown)

    return run
