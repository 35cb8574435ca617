"""The stage that reads question and passage together."""

import pytest
from haystack import Document

from khub.components.errors import KhubError, ParameterError
from khub.components.question import Question
from khub.components.readers.passage_reader import PassageReader

pytestmark = pytest.mark.integration

ANSWER = "The battery pack is replaced every 36 months by the service team of the maker."
REPEAT = "When must the battery pack be replaced? Many customers ask us this question about the battery pack."
OTHER = "The cafeteria opens at noon and closes at three on all working days of the week."


def passage(id_, text, score, **meta):
    return Document(id=id_, content=text, score=score, meta={"source": "/manual.md", "language": "en", **meta})


def read(documents, question="How often is the battery pack replaced?", **parameters):
    return PassageReader(**parameters).run(Question(question), documents)["documents"]


def test_what_answers_comes_before_what_repeats_the_question_and_what_speaks_of_something_else():
    found = read([passage("other", OTHER, 0.8), passage("repeat", REPEAT, 0.8), passage("answer", ANSWER, 0.7)])
    assert found[0].id == "answer"
    assert [one.meta["ranks"]["read"] for one in found] == [1, 2, 3]
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= one.meta["scores"]["read"] <= 1 for one in found)


def test_it_says_where_the_evidence_begins():
    text = f"{OTHER} {ANSWER} {OTHER}"
    [found] = read([passage("long", text, 0.5)])
    first = found.meta["reading"].first
    start = text.index(ANSWER)
    assert len(first) == len(text)
    assert first[start : start + len(ANSWER)].sum() > 0.5


def test_only_the_first_are_read_and_the_others_follow_in_their_order():
    documents = [passage(str(n), OTHER, 0.9 - n / 10) for n in range(6)]
    found = read([*documents, passage("answer", ANSWER, 0.1)], top_k=3)
    assert [one.id for one in found][3:] == ["3", "4", "5", "answer"]
    assert sum("reading" in one.meta for one in found) == 3
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_with_no_weight_the_order_stays_and_what_was_given_is_left_as_it_was():
    documents = [passage("other", OTHER, 0.8), passage("answer", ANSWER, 0.7)]
    assert [one.id for one in read(documents, weight=0.0)] == ["other", "answer"]
    assert all("reading" not in one.meta for one in documents)
    assert read([]) == []


def test_what_is_said_of_a_passage_does_not_depend_on_the_others_or_on_threads():
    alone = read([passage("a", ANSWER, 0.5)], threads=1)[0].meta["reading"].logit
    among = read([passage(str(n), REPEAT, 0.4) for n in range(5)] + [passage("a", ANSWER, 0.5)], threads=3)
    assert next(one for one in among if one.id == "a").meta["reading"].logit == alone


@pytest.mark.parametrize("parameters", [{"top_k": 0}, {"weight": 1.1}, {"threads": -1}])
def test_parameters_out_of_bounds_are_refused(parameters):
    with pytest.raises(ParameterError):
        PassageReader(**parameters)


def test_a_model_without_a_reader_is_named(tmp_path):
    with pytest.raises(KhubError, match=r"reader\.onnx"):
        read([passage("a", ANSWER, 0.5)], model=str(tmp_path))
