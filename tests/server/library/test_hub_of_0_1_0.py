"""A hub and graphs that version 0.1.0 has made go on: nothing is read again, and the answers are the same."""

import json
import tarfile
from pathlib import Path

import pytest

from khub.components.value import as_json
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
"""What 0.1.0 answered as JSON."""


NEW = {".not_shown", ".not_shown[]"}
"""Keys that came later, where there is something to say."""


@pytest.mark.parametrize("recorded", RECORDED["answers"], ids=lambda one: one["question"])
def test_answers_as_json_have_the_same_keys(old_hub, recorded):
    answer = as_json(ask(recorded["question"], **recorded["with"]))
    assert keys(answer) - keys(recorded["answer"]) <= NEW
    assert keys(recorded["answer"]) <= keys(answer)
    same = ("abstained", "intent", "filters", "preferences", "collection", "degraded", "graph")
    assert {key: answer[key] for key in same} == {key: recorded["answer"][key] for key in same}


def test_a_verification_as_json_has_the_same_keys_and_verdicts(old_hub):
    found = as_json(verify(RECORDED["claims"]))
    assert keys(found) == keys(RECORDED["verification"])
    assert [one["verdict"] for one in found["claims"]] == [one["verdict"] for one in RECORDED["verification"]["claims"]]


def keys(value, at=""):
    """The paths of all keys; names of stages, by which a passage has ranks and an answer times, are none."""
    if at.endswith(("ranks", "timings_ms")):
        return {at}
    if isinstance(value, list):
        return {key for one in value for key in keys(one, f"{at}[]")}
    return {at}.union(*(keys(one, f"{at}.{key}") for key, one in value.items())) if isinstance(value, dict) else {at}
