from typing import Any

import pytest
from haystack import Document

from components.answers.answer_builder import AnswerBuilder
from components.answers.overview import asks_for_all, in_reading_order

pytestmark = pytest.mark.unit


def named(words: str, **more: Any) -> list[dict[str, Any]]:
    return [{"text": "page:3", "from": "question", "words": words, **more}]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("What does page 3 say?", "page 3"),
        ("What does the Ember 300 Operator Manual say?", "the Ember 300 Operator Manual"),
        ("Please give me a summary of the travel policy", "the travel policy"),
        ("第3页讲了什么", "第3页"),
        ("第3页讲的是什么内容呢？", "第3页"),
        ("帮我总结一下第3页", "第3页"),
        ("What's on page 3?", "on page 3"),
        ("List everything on page 3", "on page 3"),
        ("What is on page 3 and on page 5?", "on page 3 … on page 5"),
        ("服务器采购合同里写了什么？", "服务器采购合同里"),
        ("请总结一下差旅制度", "差旅制度"),
    ],
)
def test_a_question_that_asks_only_what_stands_in_a_place(query: str, words: str) -> None:
    assert asks_for_all(query, named(words))
    assert not asks_for_all(query, [])
    assert not asks_for_all(query, named(words, dropped="nothing in the collection matches"))


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("What does page 3 say about leave?", "page 3"),
        ("Why is page 3 empty?", "page 3"),
        ("第3页讲了哪些费用", "第3页"),
        ("page:3", "page:3"),
        ("path:reports/* overview", "path:reports/*"),
        ("tag:合同 概述", "tag:合同"),
    ],
)
def test_a_question_that_looks_for_something_in_it(query: str, words: str) -> None:
    assert not asks_for_all(query, named(words))


def test_a_long_row_of_such_words_takes_no_time() -> None:
    assert not asks_for_all("第3页什么" + "里面" * 5000 + "z", named("第3页"))
    assert not asks_for_all("page 3 " + "what is " * 5000 + "z", named("page 3"))


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
    def ids(query: str) -> list[str]:
        told = AnswerBuilder().run(query=query, documents=RANKING, applied=named("page 3"))["answer"]
        return [cited["chunk_id"] for cited in told["citations"]]

    assert ids("What does page 3 say?") == ["begin", "end", "other", "none"]
    assert ids("What does page 3 say about submarines?") == []
