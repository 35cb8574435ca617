"""Measurements made up for unit tests, and a small gate to run."""

import json

import pytest

from khub.eval.cases import Case
from khub.eval.gate.baseline import Baseline, hash_of
from khub.eval.gate.measure import Measured
from khub.eval.gate.thresholds import read_thresholds
from khub.eval.run.figures import figures
from khub.eval.run.scoring import Scores

TEXT = """\
graph: query
documents: documents
sets: questions.jsonl
baseline: {largest_fall: 0.01, p_below: 0.05}
metrics:
  hit@5: {at_least: 0.5}
  abstained_wrong: {at_most: 0.5}
judged:
  largest_share_missing: 0.1
  metrics:
    deepeval_faithfulness: {at_least: 0.9}
"""
ROWS = [
    {"id": "wade", "question": "Where do herons wade?", "source": "birds.md", "evidence": "shallow water"},
    {"id": "trout", "question": "Where do trout swim?", "source": "fish.txt", "evidence": "cold rivers"},
    {"id": "hotel", "question": "酒店每晚上限是多少？", "source": "预算.md", "evidence": "酒店每晚上限为六百元"},
]


@pytest.fixture
def gate_folder(tmp_path):
    """A gate on three small files."""
    folder = tmp_path / "gate"
    (folder / "documents").mkdir(parents=True)
    texts = {
        "birds.md": "# Birds\n\nHerons wade slowly in shallow water.\n",
        "fish.txt": "Trout swim upstream in cold rivers.\n",
        "预算.md": "# 差旅预算\n\n酒店每晚上限为六百元。\n",
    }
    for name, text in texts.items():
        (folder / "documents" / name).write_text(text, encoding="utf-8")
    (folder / "thresholds.yaml").write_text(TEXT, encoding="utf-8")
    lines = [json.dumps(row, ensure_ascii=False) for row in ROWS]
    (folder / "questions.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder


@pytest.fixture
def thresholds(gate_folder):
    return read_thresholds(gate_folder)


@pytest.fixture
def measured():
    """Return a function that makes up a measurement of the graph `query`."""

    def make(scores, cases=None, failed=(), judge=None, legs=None):
        count = len(next(iter(scores.values())))
        cases = cases or make_cases(count)
        found = figures(cases, {case.id: "made-up" for case in cases}, Scores(scores, list(failed)))
        about = {"hash": "0", "ingest": "ingest_fast", "model": "khub-fast (0)", **found, "scores": scores}
        report = {
            "case_ids": [case.id for case in cases], "graphs": {"query": about}, "documents": {"hash": "0"},
        }  # fmt: skip
        return Measured(cases, report, "query", judge, legs or {})

    return make


@pytest.fixture
def baseline():
    """Return a function that makes up a baseline."""

    def make(scores, cases=None, graph="query"):
        cases = cases or make_cases(len(next(iter(scores.values()))))
        columns = {
            name: {case.id: value for case, value in zip(cases, values, strict=True)}
            for name, values in scores.items()
        }  # fmt: skip
        return Baseline({"graph": graph}, {case.id: hash_of(case) for case in cases}, columns)

    return make


def make_cases(count):
    return [
        Case.from_dict({"id": f"c{number}", "question": f"Which number {number}?", "source": "numbers.txt"})
        for number in range(count)
    ]
