"""A hub and graphs that version 0.1.0 has made go on: nothing is read again, and the answers are the same."""

import tarfile
from pathlib import Path

import pytest

from khub.server.graphs.load import load_graph
from khub.server.library.doctor import diagnose
from khub.server.library.recipe import recipe_of
from khub.server.questions.ask import ask

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
        assert (answer["citations"][0]["chunk_id"], answer["degraded"]) == (chunk, [])
        assert {leg["name"] for leg in answer["legs"] if leg["used"]} == {"dense", "sparse"}


def test_it_is_whole(old_hub):
    assert [one.findings.problems for one in diagnose(full=True)] == [[]]


def test_graphs_of_then_have_the_recipe_of_todays(old_hub, monkeypatch):
    today = recipe_of(load_graph("ingest").pipeline)
    monkeypatch.setenv("KHUB_PIPELINES", str(HERE / "graphs"))
    assert recipe_of(load_graph("ingest").pipeline) == today
