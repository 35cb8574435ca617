"""A hub and graphs that version 0.1.0 has made go on: nothing is read again, and the answers are the same."""

import hashlib
import json
import tarfile
from pathlib import Path

import pytest

from khub.components.value import as_json
from khub.server.graphs.load import load_graph
from khub.server.library.doctor import diagnose
from khub.server.library.recipe import recipe_of
from khub.server.questions.ask import ask
from khub.server.questions.verify import verify

pytestmark = pytest.mark.integration

HERE = Path(__file__).parents[2] / "hub_of_0_1_0"
FOUND = {
    "What does error code E-4012 mean?": "29a86e6e794f4f0ade01bc774451e61e",
    "回滚由谁批准？": "2338b8b21f0a2e9748014dafbdbb72aa",
    "Until when does Beacon 4.2 LTS receive security fixes?": "c276a7f70acf076218a15d76d228b2bb",
}


@pytest.fixture
def old_hub(tmp_path, monkeypatch):
    with tarfile.open(HERE / "hub.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    monkeypatch.setenv("KHUB_HOME", str(tmp_path / "khub"))


@pytest.mark.parametrize("graphs", [None, HERE / "graphs"], ids=["graphs of today", "graphs of then"])
def test_answers_are_the_same(old_hub, monkeypatch, graphs):
    if graphs:
        monkeypatch.setenv("KHUB_PIPELINES", str(graphs))
    for question, chunk in FOUND.items():
        answer = ask(question)
        assert (answer.citations[0].chunk_id, answer.degraded) == (chunk, [])
        assert {leg.name for leg in answer.legs if leg.used} == {"dense", "sparse"}


RECORDED = json.loads((HERE / "answers.json").read_text(encoding="utf-8"))
"""What 0.1.0 answered as JSON; long texts by their hashes."""


@pytest.mark.parametrize("recorded", RECORDED["answers"], ids=lambda one: one["question"])
def test_answers_as_json_have_the_same_keys_and_values(old_hub, recorded):
    answer = ask(recorded["question"], **recorded["with"])
    assert _kept(as_json(answer)) == _approximately(recorded["answer"])


def test_a_verification_as_json_has_the_same_keys_and_values(old_hub):
    found = verify(RECORDED["claims"])
    assert _kept(as_json(found)) == _approximately(RECORDED["verification"])


def _kept(answer):
    assert answer["trace_id"]
    timings = sorted(answer["timings_ms"].keys() - {"warm_up"})
    return _hashed({**answer, "trace_id": "", "timings_ms": timings})


def _hashed(value):
    if isinstance(value, dict):
        return {key: _hashed(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_hashed(one) for one in value]
    is_long = isinstance(value, str) and len(value) > 120
    return f"sha256:{hashlib.sha256(value.encode()).hexdigest()[:16]}" if is_long else value


def _approximately(value):
    if isinstance(value, dict):
        return {key: _approximately(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_approximately(one) for one in value]
    return pytest.approx(value, rel=1e-4) if isinstance(value, float) else value


def test_it_is_whole(old_hub):
    assert [one.findings.problems for one in diagnose(full=True)] == [[]]


def test_graphs_of_then_have_the_recipe_of_todays(old_hub, monkeypatch):
    today = recipe_of(load_graph("ingest").pipeline)
    monkeypatch.setenv("KHUB_PIPELINES", str(HERE / "graphs"))
    assert recipe_of(load_graph("ingest").pipeline) == today
