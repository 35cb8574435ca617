"""Answers and verifications that a stage of somebody's own gives as a dict."""

from pathlib import Path
from typing import Any

import pytest

from khub.components.answer import Answer, Citation
from khub.components.errors import GraphError
from khub.components.verification import Verification
from khub.server.graphs.load import Graph
from khub.server.questions.given_value import given_value

pytestmark = pytest.mark.unit

PLACE = {"source": "/a.md", "title": "A", "section": "", "page": None}
CITED = {"id": 1, "chunk_id": "c", **PLACE, "text": "x", "score": 1}


@pytest.fixture
def graph() -> Graph:
    return Graph("own", Path("own.yaml"), None, {}, {}, {"answer": "last.answer"}, "query", frozenset())  # type: ignore[arg-type]


def test_a_dict_is_read_and_what_it_leaves_out_has_its_default(graph: Graph) -> None:
    answer = given_value(Answer, graph, "answer", {"answer": "x [1]", "citations": [CITED]})
    assert answer.citations == [Citation(1, "c", source="/a.md", title="A", section="", page=None, text="x", score=1.0)]
    assert (answer.abstained, answer.degraded, answer.legs) == (False, [], [])


def test_keys_of_its_own_are_kept(graph: Graph) -> None:
    assert given_value(Answer, graph, "answer", {"answer": "x", "disclaimer": "y"}).more == {"disclaimer": "y"}


def test_a_value_stays_as_it_is(graph: Graph) -> None:
    answer = Answer("x")
    assert given_value(Answer, graph, "answer", answer) is answer


@pytest.mark.parametrize(
    ("kind", "given", "told"),
    [
        (Answer, None, r"own.yaml: last.answer gives nothing: let it give Answer or a dict with 'answer'"),
        (Answer, ["x"], r"gives a list"),
        (Answer, {"answer": "x", "citatons": []}, r"a key 'citatons' that Answer has not: did you mean 'citations'"),
        (Answer, {"answer": 1}, r"gives 'answer' wrong: input should be a valid string"),
        (Answer, {"abstained": True}, r"gives 'answer' wrong: field required"),
        (Answer, {"answer": "x", "citations": [{**CITED, "page": "four"}]}, r"gives 'citations.0.page' wrong"),
        (Verification, {"claims": [{"claim": "x", "verdict": "maybe"}]}, r"gives 'claims.0.verdict' wrong"),
    ],
)
def test_what_does_not_fit_is_told_with_file_key_and_remedy(
    graph: Graph, kind: type[Answer | Verification], given: Any, told: str
) -> None:
    with pytest.raises(GraphError, match=told) as error:
        given_value(kind, graph, "answer", given)
    assert error.value.remedy
