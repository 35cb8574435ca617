"""What each shipped graph answers to a question that names only a place, and which sentence it marks."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from server.ask import ask

pytestmark = pytest.mark.integration
GRAPHS = ["query", "query_fast", "query_rrf"]


def never_sure(components: dict[str, Any]) -> None:
    components["answer"]["init_parameters"]["min_confidence"] = 1.5


@pytest.mark.parametrize("graph", GRAPHS)
def test_what_a_document_says_is_shown_however_sure_the_graph_is(change: Callable[..., str], graph: str) -> None:
    name = change(graph, never_sure)
    shown = ask('What does "Ember manual" say?', "docs", name)

    assert {Path(citation["source"]).name for citation in shown["citations"]} == {"ember.md"}
    assert ask('What does "Ember manual" say about the dock?', "docs", name)["abstained"]


@pytest.mark.parametrize("graph", GRAPHS)
def test_a_sentence_in_the_other_language_is_marked(change: Callable[..., str], graph: str) -> None:
    answer = ask("What is the hotel budget?", "docs", change(graph), legs=["sparse"])

    [chinese] = [citation for citation in answer["citations"] if citation["source"].endswith("预算.md")]
    assert "酒店" in chinese["evidence"]
