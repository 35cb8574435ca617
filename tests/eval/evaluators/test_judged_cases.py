"""Many values measured at a time: what goes wrong with one costs no other."""

import threading

import pytest

from khub.eval.evaluators.judge import JudgeError, JudgeUnreachableError
from khub.eval.evaluators.judged_cases import GIVE_UP_AFTER, judge_cases
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit
COLUMNS = ("x_faithfulness", "x_context_recall")


@pytest.fixture
def asked():
    """Cases a, b, … with known answers, and answers to them."""

    def make(count):
        ids = [chr(ord("a") + n) for n in range(count)]
        cases = [{"id": id_, "answerable": True, "answer": "600"} for id_ in ids]
        return cases, [{"case_id": id_, "abstained": False, "citations": [{"text": "600"}]} for id_ in ids]

    return make


def test_values_stand_in_the_order_of_the_cases(asked):
    cases, answers = asked(3)
    order = []
    first_may_end = threading.Event()

    def measure(column, case, answer):
        if case["id"] == "a":
            first_may_end.wait(10)
        order.append(case["id"])
        if case["id"] == "c":
            first_may_end.set()
        return ord(case["id"]) / 1000

    result = judge_cases(cases, answers, COLUMNS[:1], measure, concurrency=2)
    assert result == {"scores": {"x_faithfulness": [0.097, 0.098, 0.099]}, "failed": []}
    assert order == ["b", "c", "a"]


def test_one_at_a_time_where_so_asked(asked):
    busy, seen = threading.Semaphore(1), []

    def measure(*_):
        seen.append(busy.acquire(blocking=False))
        busy.release()
        return 1.0

    judge_cases(*asked(5), COLUMNS, measure, concurrency=1)
    assert seen == [True] * 10


def test_no_judge_is_asked_about_an_answer_that_abstains_or_about_citations_that_are_not_there(asked):
    cases, answers = asked(3)
    answers[0] |= {"abstained": True, "citations": []}
    answers[1]["citations"] = []
    seen = []

    def measure(column, case, answer):
        seen.append((column, case["id"]))
        raise JudgeUnreachableError("down")

    result = judge_cases(cases, answers, COLUMNS, measure, concurrency=1)
    assert seen == [("x_faithfulness", "b"), ("x_faithfulness", "c"), ("x_context_recall", "c")]
    assert result["scores"] == {"x_faithfulness": [None] * 3, "x_context_recall": [0.0, 0.0, None]}
    assert [(entry["metric"], entry["case_id"]) for entry in result["failed"]] == seen


def test_metrics_of_contexts_need_a_known_answer(asked):
    cases, answers = asked(3)
    cases[1]["answer"] = None
    cases[2]["answerable"] = False
    scores = judge_cases(cases, answers, COLUMNS, lambda *_: 1.0, concurrency=2)["scores"]
    assert scores == {"x_faithfulness": [1, 1, 1], "x_context_recall": [1, None, None]}


def test_a_failure_costs_its_own_value(asked, caplog):
    def measure(column, case, answer):
        if (column, case["id"]) == ("x_faithfulness", "a"):
            raise JudgeError("odd", "use a better judge")
        if (column, case["id"]) == ("x_context_recall", "b"):
            raise KeyError("verdicts")
        return 1.0

    result = judge_cases(*asked(2), COLUMNS, measure, concurrency=2)
    assert result["scores"] == {"x_faithfulness": [None, 1], "x_context_recall": [1, None]}
    assert result["failed"] == [
        {"metric": "x_faithfulness", "case_id": "a", "reason": "odd: use a better judge"},
        {"metric": "x_context_recall", "case_id": "b", "reason": "KeyError: 'verdicts'"},
    ]
    assert "x_context_recall of b failed" in caplog.text


def test_a_question_that_failed_is_not_judged(asked):
    cases, answers = asked(2)
    answers[0] = {"case_id": "a", "error": "no leg could answer"}
    seen = []
    result = judge_cases(cases, answers, COLUMNS[:1], lambda _, case, __: seen.append(case["id"]), concurrency=1)
    assert seen == ["b"]
    assert result["failed"] == [{"metric": "x_faithfulness", "case_id": "a", "reason": "no leg could answer"}]


def test_a_silent_judge_is_given_up(asked):
    calls = []

    def measure(*_):
        calls.append(1)
        raise JudgeUnreachableError("no reply", "start it")

    result = judge_cases(*asked(20), COLUMNS[:1], measure, concurrency=1)
    assert len(calls) == GIVE_UP_AFTER
    assert len(result["failed"]) == 20
    assert result["failed"][0]["reason"] == "no reply: start it"
    assert "not asked any more after 5 calls" in result["failed"][-1]["reason"]


def test_a_judge_that_replies_now_and_then_is_not_given_up(asked):
    calls = []

    def measure(*_):
        calls.append(1)
        if len(calls) % GIVE_UP_AFTER:
            raise JudgeUnreachableError("no reply", "start it")
        return 1.0

    judge_cases(*asked(20), COLUMNS[:1], measure, concurrency=1)
    assert len(calls) == 20


def test_nothing_is_asked_where_answers_are_not_those_of_the_cases(asked):
    cases, answers = asked(2)
    with raises_code("evaluation_failed", "'a'", "'b'"):
        judge_cases(cases, answers[::-1], COLUMNS, lambda *_: pytest.fail("asked"), concurrency=1)
