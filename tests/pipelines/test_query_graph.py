"""The default graph as it is shipped: short, and each link of it can be taken out."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from khub.server.graphs.examination import examine_graph
from khub.server.graphs.load import find_graph
from khub.server.questions.ask import ask
from tests.pipelines.conftest import Graph, without
from tests.server.hub_files import PIPELINES


@pytest.mark.unit
def test_it_is_short() -> None:
    text = (PIPELINES / "query.yaml").read_text(encoding="utf-8")
    graph: Graph = yaml.safe_load(text)

    assert len(text.splitlines()) <= 80
    assert len(graph["components"]) <= 12
    assert len(graph["connections"]) <= 22


@pytest.mark.integration
@pytest.mark.parametrize("link", ["filter", "translate", "gloss", "rerank", "select"])
def test_each_link_can_be_taken_out_by_joining_its_neighbours(change: Callable[..., str], link: str) -> None:
    name = change("query", lambda graph: without(graph, link))

    assert examine_graph(find_graph(name)) == []
    answer = ask("How long does the battery of the Ember robot last?", "docs", name)
    assert Path(answer.citations[0].source).name == "ember.md"
    assert answer.degraded == []
