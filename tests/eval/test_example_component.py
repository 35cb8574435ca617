"""The component that the handbook adds to a graph."""

import importlib
import sys
from pathlib import Path

import pytest
from haystack import Document

from khub.components.errors import GraphError

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
