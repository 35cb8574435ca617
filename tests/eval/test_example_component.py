"""What the handbook says about adding a component works as it is written there."""

import importlib
import re
import sys
from pathlib import Path

import pytest
from haystack import Document

from components.errors import GraphError
from server.graphs import load_graph

ROOT = Path(__file__).parents[2]
HANDBOOK = ROOT / "eval" / "samples" / "handbook"
LONG = "The lidar window is cleaned with the lint free cloth, never with water; then reset is held for three seconds."


@pytest.fixture
def example(monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # the folder holds documents alone
    monkeypatch.syspath_prepend(str(HANDBOOK))
    return importlib.import_module("example_component")


def contents(component, *texts):
    return [d.content for d in component.run(documents=[Document(content=text) for text in texts])["documents"]]


@pytest.mark.unit
def test_a_repetition_goes_and_the_better_one_stays(example):
    component = example.NearDuplicateFilter()
    assert contents(component, LONG, LONG.upper(), "Another text.") == [LONG, "Another text."]


@pytest.mark.unit
def test_short_texts_are_always_kept(example):
    assert contents(example.NearDuplicateFilter(), "Press reset.", "Press reset.") == ["Press reset."] * 2


@pytest.mark.unit
def test_the_threshold_decides(example):
    other = LONG.replace("water", "alcohol").replace("three", "five")
    assert contents(example.NearDuplicateFilter(threshold=0.7), LONG, other) == [LONG]
    assert contents(example.NearDuplicateFilter(threshold=0.95), LONG, other) == [LONG, other]


@pytest.mark.unit
@pytest.mark.parametrize("threshold", [0, 1.2])
def test_a_threshold_out_of_bounds_is_refused(example, threshold):
    with pytest.raises(GraphError, match=f"threshold={threshold}"):
        example.NearDuplicateFilter(threshold=threshold)


def with_stage(graph: str, page: str, number: int) -> str:
    blocks = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    before = re.search(r"between `\w+` and `(\w+)`", page)[1]
    sender, receiver = re.search(r"replace the connection `(\S+) -> (\S+)`", page).groups()
    place, old = f"\n  {before}:\n    type:", f"  - {{sender: {sender}, receiver: {receiver}}}\n"
    assert place in graph
    assert old in graph
    return graph.replace(place, f"\n{blocks[number]}{place}", 1).replace(old, blocks[1])


@pytest.mark.integration
@pytest.mark.parametrize("number", [0, 2], ids=["alone", "guarded"])
def test_the_graphs_of_the_page_load(number, example, tmp_path, monkeypatch):
    page = (HANDBOOK / "extending-the-hub-en.md").read_text(encoding="utf-8")
    shipped = (ROOT / "pipelines" / "query_fast.yaml").read_text(encoding="utf-8")
    (tmp_path / "mine.yaml").write_text(with_stage(shipped, page, number), encoding="utf-8")
    monkeypatch.setenv("KHUB_PIPELINES", str(tmp_path))
    with pytest.raises(GraphError, match="not allowed"):
        load_graph("mine")
    monkeypatch.setenv("KHUB_ALLOWED_MODULES", "example_component")
    assert "distinct" in load_graph("mine").pipeline.to_dict()["components"]
