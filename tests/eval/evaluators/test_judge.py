"""A judge behind a server that speaks OpenAI's chat API."""

import contextlib
import sqlite3
import threading
import time

import pytest
from haystack.components.generators.chat.openai import OpenAIChatGenerator
from haystack.utils import Secret
from pydantic import BaseModel

from khub.eval.evaluators.judge import Asking, Judge, JudgeError, JudgeUnreachableError, judge_name
from khub.eval.evaluators.judge_replies import JudgeReplies, replies_file
from tests.error_codes import raises_code
from tests.eval.examples.chat_server import Raw, serving

pytestmark = pytest.mark.integration

KEY = "sk-not-to-be-seen"
GOOD = '{"verdict": "yes", "reason": "The context says so."}'
BUSY = Raw(429, '{"error": {"message": "slow down"}}', {"Retry-After": "0.3"})


class Verdict(BaseModel):
    verdict: str
    reason: str


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("KHUB_JUDGE_API_KEY", KEY)
    with serving() as running:
        yield running


@pytest.fixture
def judge(server):
    def make(**parameters):
        given = {"model": "wise-1", "api_base_url": server.url, "timeout": 5, "max_retries": 0, **parameters}
        generator = OpenAIChatGenerator(api_key=Secret.from_env_var("KHUB_JUDGE_API_KEY"), **given)
        generator.warm_up()
        return Judge(generator, JudgeReplies(replies_file()))

    return make


def kept():
    with contextlib.closing(sqlite3.connect(replies_file())) as connection:
        return connection.execute("SELECT judge, reply FROM replies").fetchall()


def test_a_reply_is_read_and_kept(server, judge):
    server.turns = [f"<think>Is {{it}} so?</think>\n```json\n{GOOD}\n```"]
    assert judge().ask("Is it so?", "en", Verdict)[0] == Verdict(verdict="yes", reason="The context says so.")
    assert judge().ask("Is it so?", "en", Verdict)[0].verdict == "yes"
    assert len(server.requests) == 1
    assert server.keys == [f"Bearer {KEY}"]
    assert KEY.encode() not in replies_file().read_bytes()


def test_labels_may_be_in_capitals(server, judge):
    server.turns = [GOOD.replace("yes", " Yes")]
    assert judge().ask("Is it so?", "en", Verdict)[0].verdict == "yes"


@pytest.mark.parametrize(
    ("change", "prompt", "language"),
    [
        ({"model": "wise-2"}, "Is it so?", "en"),
        ({"generation_kwargs": {"temperature": 1}}, "Is it so?", "en"),
        ({}, "Is it otherwise?", "en"),
        ({}, "Is it so?", "zh"),
    ],
)
def test_another_judge_or_another_question_is_asked_anew(change, prompt, language, server, judge):
    server.turns = [GOOD, '{"verdict": "no", "reason": "材料中没有。"}' if language == "zh" else GOOD]
    judge().ask("Is it so?", "en", Verdict)
    judge(**change).ask(prompt, language, Verdict)
    assert len(server.requests) == 2


def test_another_time_limit_is_no_other_judge(server, judge):
    server.turns = [GOOD]
    judge().ask("Is it so?", "en", Verdict)
    judge(timeout=7, max_retries=3).ask("Is it so?", "en", Verdict)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        ("I cannot say.", "no JSON object"),
        (GOOD[:-9], "no JSON object"),
        ("", "no JSON object"),
        ('{"verdict": "yes"}', "reason: Field required"),
        ('{"verdict": "yes", "reason": "材料中有明确的说明。"}', "written in 'zh'"),
    ],
)
def test_a_bad_reply_is_asked_for_once_more_with_the_reason(bad, problem, server, judge):
    server.turns = [bad, GOOD]
    assert judge().ask("Is it so?", "en", Verdict)[0].verdict == "yes"
    first, second = (request["messages"] for request in server.requests)
    assert [message["role"] for message in second] == ["system", "user", "assistant", "user"]
    assert second[:2] == first
    assert problem in second[3]["content"]


def test_two_bad_replies_are_an_error_and_not_kept(server, judge):
    server.turns = ["?", "?", GOOD]
    with raises_code("judge_failed", "wise-1 at http://127.0.0.1:", "2 times", "JSON") as error:
        judge().ask("Is it so?", "en", Verdict)
    assert not isinstance(error.value, JudgeUnreachableError)
    assert judge().ask("Is it so?", "en", Verdict)[0].verdict == "yes"


def test_a_busy_judge_is_asked_again_when_it_says(server, judge):
    server.turns = [BUSY, GOOD]
    start = time.monotonic()
    assert judge(max_retries=1).ask("Is it so?", "en", Verdict)[0].verdict == "yes"
    assert time.monotonic() - start >= 0.3
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("turn", "reason"),
    [
        (BUSY, "RateLimitError"),
        (Raw(401, '{"error": {"message": "no such key"}}'), "AuthenticationError"),
        (Raw(500, "oops"), "InternalServerError"),
    ],
)
def test_a_judge_that_refuses_is_unreachable(turn, reason, server, judge):
    server.turns = [turn]
    with pytest.raises(JudgeUnreachableError, match=f"gave no reply .{reason}"):
        judge().ask("Is it so?", "en", Verdict)


def test_a_question_that_is_too_long_says_nothing_of_the_next(server, judge):
    server.turns = [Raw(400, '{"error": {"message": "maximum context length"}}')]
    with pytest.raises(JudgeError, match="maximum context length") as error:
        judge().ask("Is it so?", "en", Verdict)
    assert not isinstance(error.value, JudgeUnreachableError)


def test_a_judge_that_never_replies_is_left(server, judge):
    ended = threading.Event()

    def never(_):
        ended.wait(30)
        return GOOD

    server.turns = [never]
    try:
        with pytest.raises(JudgeUnreachableError, match="APITimeoutError"):
            judge(timeout=0.2).ask("Is it so?", "en", Verdict)
    finally:
        ended.set()


def test_a_judge_that_is_not_there_is_unreachable(judge):
    with pytest.raises(JudgeUnreachableError, match="APIConnectionError"):
        judge(api_base_url="http://127.0.0.1:9/v1").ask("Is it so?", "en", Verdict)


def test_what_does_not_fit_together_is_forgotten(server, judge):
    server.turns = [GOOD]
    asking = Asking(judge(), "en")
    asking.ask("Is it so?", Verdict)
    asking.ask("And that?", Verdict)
    assert str(asking.refuse("gave too little")).startswith("wise-1 at http")
    assert kept() == []


def test_a_generator_without_address_is_named_by_its_model():
    assert judge_name(OpenAIChatGenerator(model="gpt-x")) == "gpt-x"
