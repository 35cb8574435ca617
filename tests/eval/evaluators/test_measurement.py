"""What all evaluators do with failed questions and with lists that do not belong together."""

import pytest

from khub.eval.evaluators.abstention_evaluator import AbstentionEvaluator
from khub.eval.evaluators.operation_evaluator import OperationEvaluator
from khub.eval.evaluators.page_evaluator import PageEvaluator
from khub.eval.evaluators.retrieval_evaluator import RetrievalEvaluator
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit

EVALUATORS = (RetrievalEvaluator, PageEvaluator, AbstentionEvaluator, OperationEvaluator)


@pytest.fixture(params=EVALUATORS, ids=lambda cls: cls.__name__)
def evaluator(request):
    return request.param()


def test_a_missing_answer_is_refused(evaluator, case, place):
    with raises_code("evaluation_failed", "1 cases", "0 answers"):
        evaluator.run(cases=[case(place())], answers=[])


def test_answers_in_another_order_are_refused(evaluator, case, place, answer, cite):
    cases = [case(place(), id_="a"), case(place(), id_="b")]
    answers = [answer(cite("heron"), case_id="b"), answer(cite("heron"), case_id="a")]
    with raises_code("evaluation_failed", "'a'", "'b'"):
        evaluator.run(cases=cases, answers=answers)


def test_there_is_a_value_for_each_case(evaluator, case, place, answer, cite, broken):
    cases = [case(place()), case(), case(place()), case(place(page=None)), case()]
    answers = [answer(cite("heron")), answer(), broken, answer(), broken]
    scores = evaluator.run(cases=cases, answers=answers)["scores"]
    assert {len(values) for values in scores.values()} == {5}
    assert all(value is None or isinstance(value, float) for values in scores.values() for value in values)


def test_no_cases_give_empty_columns(evaluator):
    result = evaluator.run(cases=[], answers=[])
    assert result["failed"] == []
    assert result["scores"]
    assert set(map(tuple, result["scores"].values())) == {()}


def test_a_failed_question_is_not_measured_and_told(evaluator, case, place, broken):
    result = evaluator.run(cases=[case(place())], answers=[broken])
    failed = {entry["metric"] for entry in result["failed"]}
    assert all(entry["case_id"] == "c1" and entry["reason"] == broken["error"] for entry in result["failed"])
    assert failed
    assert all(result["scores"][metric] == [None] for metric in failed)


def test_what_does_not_apply_has_not_failed(case, broken):
    for cls in (RetrievalEvaluator, PageEvaluator):
        result = cls().run(cases=[case()], answers=[broken])
        assert result["failed"] == []
    failed = AbstentionEvaluator().run(cases=[case()], answers=[broken])["failed"]
    assert [entry["metric"] for entry in failed] == ["abstained_right"]
