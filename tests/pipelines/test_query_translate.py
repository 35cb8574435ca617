"""The default graph's keyword leg finds what is written in the other language."""

from collections.abc import Callable
from pathlib import Path

import pytest

from khub.components.answer import Answer
from khub.server.questions.ask import ask
from tests.pipelines.conftest import breaks

pytestmark = pytest.mark.integration

QUESTION = "hotel budget"


def sources(answer: Answer) -> list[str]:
    return [Path(citation.source).name for citation in answer.citations]


def test_an_english_question_finds_chinese_words(change: Callable[..., str]) -> None:
    answer = ask(QUESTION, "docs", change("query"), legs=["sparse"])
    assert sources(answer)[:1] == ["预算.md"]
    assert answer.degraded == []


def test_where_translating_fails_the_answer_says_so(change: Callable[..., str]) -> None:
    answer = ask(QUESTION, "docs", change("query", breaks("translate")), legs=["sparse"])
    assert sources(answer) == []
    assert [entry.stage for entry in answer.degraded] == ["translate"]
