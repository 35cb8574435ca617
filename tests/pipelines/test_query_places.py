"""What the shipped graph answers to a question that names only a place, and which sentence it marks."""

from collections.abc import Callable
from pathlib import Path

import pytest

from khub.server.questions.ask import ask
from tests.pipelines.conftest import Graph, parameters

pytestmark = pytest.mark.integration


def never_sure(graph: Graph) -> None:
    parameters(graph, "answer")["min_confidence"] = 1.5


def test_what_a_document_says_is_shown_however_sure_the_graph_is(change: Callable[..., str]) -> None:
    name = change("query", never_sure)
    shown = ask('What does title:"Ember manual" say?', "docs", name)

    assert {Path(citation.source).name for citation in shown.citations} == {"ember.md"}
    assert ask('What does title:"Ember manual" say about the dock?', "docs", name).abstained
    assert ask("What  does it say? ", "docs", name).abstained  # of no place


def test_a_sentence_in_the_other_language_is_marked(change: Callable[..., str]) -> None:
    answer = ask("What is the hotel budget?", "docs", change("query"), legs=["sparse"])

    [chinese] = [citation for citation in answer.citations if citation.source.endswith("预算.md")]
    assert "酒店" in chinese.evidence
