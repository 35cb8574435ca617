from dataclasses import replace

import pytest
from haystack import Document

from khub.components.answer import AppliedFilter
from khub.components.answers.answer_builder import AnswerBuilder
from khub.components.answers.overview import asks_for_all, in_reading_order
from khub.components.question import Question

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "searched",
    [
        "What does say?",
        "Please give me a summary of",
        "讲了什么",
        "讲的是什么内容呢？",
        "帮我总结一下",
        "里写了什么？",
        "What's?",
        "List everything",
        "What is and?",
    ],
)
def test_a_question_that_asks_only_what_stands_in_a_place(searched: str) -> None:
    assert asks_for_all(searched)


@pytest.mark.parametrize(
    "searched", ["What does say about leave?", "Why is empty?", "讲了哪些费用", "overview", "概述"]
)
def test_a_question_that_looks_for_something_in_it(searched: str) -> None:
    assert not asks_for_all(searched)


def test_a_long_row_of_such_words_takes_no_time() -> None:
    assert not asks_for_all("什么" + "里面" * 5000 + "z")
    assert not asks_for_all("what is " * 5000 + "z")


def passage(id_: str, doc: str, start: int, page: int | None, score: float) -> Document:
    scores = {"dense": 0.01, "sparse": 0.01, "interaction": 0.01}
    meta = {"doc_id": doc, "start": start, "page": page, "title": doc, "source": f"{doc}.pdf", "scores": scores}
    return Document(id=id_, content="The belt is worn.", score=score, meta=meta)


RANKING = [
    passage("none", "web", 0, None, 0.9),
    passage("end", "manual", 900, 3, 0.8),
    passage("other", "guide", 0, 3, 0.7),
    passage("begin", "manual", 10, 3, 0.6),
]


def test_passages_as_they_follow_each_other() -> None:
    assert [document.id for document in in_reading_order(RANKING, True)] == ["begin", "end", "other", "none"]
    assert [document.id for document in in_reading_order(RANKING, False)] == ["none", "begin", "end", "other"]


def test_such_a_question_gets_the_passages_of_the_place_in_order_and_no_other_does() -> None:
    typed = [AppliedFilter("page:3", "question", "page:3")]

    def ids(searched: str, applied: list[AppliedFilter] = typed) -> list[str]:
        question = Question(f" {searched}  page:3", text=searched, applied_filters=applied)
        told = AnswerBuilder().run(question=question, documents=RANKING)["answer"]
        return [cited.chunk_id for cited in told.citations]

    assert ids("What does say?") == ["begin", "end", "other", "none"]
    assert ids("What does say about submarines?") == []
    assert ids("What does say?", [replace(typed[0], dropped="nothing matches")]) == []
    assert ids("What does say?", []) == []
