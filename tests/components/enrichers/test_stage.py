import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.utils import Secret

from khub.components.enrichers.cache import open_cache
from khub.components.enrichers.stage import Outcome, Stage, Task
from khub.components.errors import GraphError
from khub.components.home import hub_home
from khub.components.model_servers.model_failure import UnusableReplyError
from khub.components.model_servers.token_limit import one_run

pytestmark = pytest.mark.integration

LIMITS: dict[str, Any] = {"concurrency": 4, "attempts": 3, "timeout_s": 5.0, "backoff_s": 0.01, "budget_s": 30.0}


def stage_of(generator: Any, name: str = "refine", version: str = "1", **limits: Any) -> Stage:
    return Stage(name, version, generator, **{**LIMITS, **limits})


def task(text: str, doc_id: str = "d", check: Callable[[str], Any] = str) -> Task:
    return Task(doc_id, text, lambda ask: check(ask([ChatMessage.from_user(text)])))


def test_outcomes_stand_in_order_and_a_second_run_asks_nothing(server) -> None:
    server.say = lambda prompt: prompt.upper()
    tasks = [task(name) for name in "abcde"]
    assert [outcome.value for outcome in stage_of(server.generator()).run(tasks)] == list("ABCDE")
    assert [outcome.value for outcome in stage_of(server.generator()).run(tasks)] == list("ABCDE")
    assert sorted(server.prompts()) == list("abcde")


def test_equal_tasks_are_asked_once(server) -> None:
    server.say = lambda prompt: prompt.upper()
    assert [o.value for o in stage_of(server.generator()).run([task("a"), task("b"), task("a", "other")])] == list(
        "ABA"
    )
    assert len(server.requests) == 2
    cache = open_cache()
    assert (cache.forget(["d"]), cache.forget(["other"])) == (1, 1), "the reply that both use goes with the second"


@pytest.mark.parametrize(
    "change",
    [
        {"name": "caption"},
        {"version": "2"},
        {"model": "other"},
        {"generation_kwargs": {"temperature": 0.5}},
        {"text": "b"},
    ],
)
def test_whatever_changes_the_reply_is_asked_again(change: dict[str, Any], server) -> None:
    stage_of(server.generator()).run([task("a")])
    of_model = {key: value for key, value in change.items() if key in {"model", "generation_kwargs"}}
    of_stage = {key: value for key, value in change.items() if key in {"name", "version"}}
    stage_of(server.generator(**of_model), **of_stage).run([task(change.get("text", "a"))])
    assert len(server.requests) == 2


def test_what_does_not_change_the_reply_is_not(server) -> None:
    stage_of(server.generator()).run([task("a")])
    stage_of(server.generator(timeout=3.0, max_retries=1), attempts=1, concurrency=1).run([task("a")])
    assert len(server.requests) == 1


@pytest.mark.parametrize("concurrency", [1, 3])
def test_so_many_calls_at_a_time(concurrency: int, server) -> None:
    server.crowd = concurrency
    stage_of(server.generator(), concurrency=concurrency).run([task(name) for name in "abcdef"])
    assert server.peak == concurrency


def test_half_of_the_calls_fail_and_all_tasks_succeed(server, turns) -> None:
    seen: set[str] = set()

    def say(prompt: str) -> Any:
        if prompt in seen:
            return prompt.upper()
        seen.add(prompt)
        odd = ord(prompt[0]) % 2
        return turns.raw(500) if odd else turns.raw(429, headers={"retry-after-ms": "20"})

    server.say = say
    assert [o.value for o in stage_of(server.generator()).run([task(name) for name in "abcdef"])] == list("ABCDEF")
    assert len(server.requests) == 12


@pytest.mark.parametrize("attempts", [1, 2, 4])
def test_so_many_attempts(attempts: int, server, turns) -> None:
    server.say = lambda prompt: turns.raw(503, '{"error": {"message": "overloaded"}}')
    (outcome,) = stage_of(server.generator(), attempts=attempts).run([task("a")])
    assert outcome.value is None
    assert "503" in outcome.reason
    assert len(server.requests) == attempts, "the client's own retries would multiply ours"


def test_the_pause_grows_and_its_length_is_a_parameter(server, turns, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("khub.components.enrichers.stage._Run.wait", lambda run, seconds: pauses.append(seconds))
    server.say = lambda prompt: turns.raw(500)
    stage_of(server.generator(), attempts=4, backoff_s=8.0).run([task("a")])
    assert all(low <= pause <= high for pause, low, high in zip(pauses, (4, 8, 15), (8, 16, 30), strict=True)), pauses


def test_all_calls_wait_as_long_as_the_server_asks(server, turns) -> None:
    times: list[float] = []

    def say(prompt: str) -> Any:
        times.append(time.monotonic())
        return turns.raw(429, headers={"retry-after-ms": "300"}) if len(times) == 1 else "ok"

    server.say = say
    outcomes = stage_of(server.generator(), concurrency=1).run([task("a"), task("b")])
    assert [outcome.value for outcome in outcomes] == ["ok", "ok"]
    assert times[1] - times[0] >= 0.3


def test_a_wait_longer_than_the_budget_is_not_begun(server, turns) -> None:
    server.say = lambda prompt: turns.raw(429, headers={"Retry-After": "3600"})
    begin = time.monotonic()
    outcomes = stage_of(server.generator(), concurrency=1, budget_s=20.0).run([task(name) for name in "abc"])
    assert time.monotonic() - begin < 10
    assert all("3600 s" in outcome.reason for outcome in outcomes)
    assert len(server.requests) == 1


def test_a_server_that_never_answers_costs_a_call_its_time_limit(server, turns) -> None:
    server.say = lambda prompt: turns.silence()
    begin = time.monotonic()
    (outcome,) = stage_of(server.generator(), attempts=1, timeout_s=0.3).run([task("a")])
    assert 0.3 <= time.monotonic() - begin < 4
    assert "imeout" in outcome.reason or "in 0.3 s" in outcome.reason


def test_a_server_that_never_answers_is_given_up(server, turns) -> None:
    server.say = lambda prompt: turns.silence()
    outcomes = stage_of(server.generator(), timeout_s=0.1).run([task(str(number)) for number in range(200)])
    assert not any(outcome.value for outcome in outcomes)
    said = outcomes[-1].reason
    assert "given up" in said or "calls still hang" in said  # whichever of the two bounds is reached first
    assert len(server.requests) <= 12


def test_the_budget_ends_what_is_under_way(server, turns) -> None:
    server.say = lambda prompt: "A" if prompt == "a" else turns.silence()
    begin = time.monotonic()
    tasks = [task(name) for name in "abc"]
    outcomes = stage_of(server.generator(), concurrency=1, timeout_s=20.0, budget_s=1.5).run(tasks)
    assert time.monotonic() - begin < 8
    assert outcomes[0] == Outcome("A")
    assert ["the time" in outcome.reason for outcome in outcomes[1:]] == [True] * len(outcomes[1:])
    server.say = lambda prompt: prompt.upper()
    assert [o.value for o in stage_of(server.generator(), budget_s=20.0).run(tasks)] == list("ABC")


def test_tokens_that_are_spent_end_the_run_wherever_the_work_asks(server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KHUB_MODEL_TOKENS_PER_RUN", "1")

    def elsewhere(ask: Callable[..., Any]) -> Any:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(ask, [ChatMessage.from_user("a")]).result()

    with one_run():
        outcomes = stage_of(server.generator(), concurrency=1).run([Task("d", n, elsewhere) for n in range(3)])
    assert [outcome.value for outcome in outcomes] == ["ok", None, None]
    assert "the 1 tokens of a run are spent" in outcomes[-1].reason
    assert len(server.requests) == 1


def test_closed_connections_are_tried_again(server, turns) -> None:
    replies = iter([turns.hangup(), turns.hangup(), "ok"])
    server.say = lambda prompt: next(replies)
    assert stage_of(server.generator()).run([task("a")]) == [Outcome("ok")]


@pytest.mark.parametrize("status", [401, 404])
def test_a_wrong_key_or_model_ends_the_run_at_once(status: int, server, turns) -> None:
    server.say = lambda prompt: turns.raw(status, '{"error": {"message": "who are you"}}')
    outcomes = stage_of(server.generator(), concurrency=1).run([task(name) for name in "abc"])
    assert all(str(status) in outcome.reason for outcome in outcomes)
    assert len(server.requests) == 1


def test_a_refused_request_is_not_repeated_and_harms_no_other(server, turns) -> None:
    server.say = lambda prompt: turns.raw(400) if prompt == "a" else "ok"
    outcomes = stage_of(server.generator(), concurrency=1).run([task(name) for name in "abc"])
    assert [outcome.value for outcome in outcomes] == [None, "ok", "ok"]
    assert len(server.requests) == 3


@pytest.mark.parametrize("body", ["<html>no</html>", "{}", '{"choices": []}', '{"choices": [{"message": {}}]}', "null"])
def test_a_reply_that_is_no_chat_completion_is_no_harm(body: str, server, turns) -> None:
    server.say = lambda prompt: turns.raw(200, body)

    def check(reply: str) -> str:
        if not reply:
            raise UnusableReplyError("the reply is empty")
        return reply

    (outcome,) = stage_of(server.generator(), attempts=2).run([task("a", check=check)])
    assert outcome.value is None
    assert outcome.reason


def test_an_unusable_reply_is_asked_for_again_and_not_kept(server) -> None:
    replies = iter(["bad", "bad", "bad", "good"])
    server.say = lambda prompt: next(replies)

    def check(reply: str) -> str:
        if reply == "bad":
            raise UnusableReplyError("the reply is bad")
        return reply

    stage = stage_of(server.generator(), attempts=2)
    assert stage.run([task("a", check=check)]) == [Outcome(reason="the reply is bad")]
    assert stage.run([task("a", check=check)]) == [Outcome("good")]


def test_without_a_key_everything_falls_back_and_what_is_known_is_still_used(
    server, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage_of(server.generator()).run([task("a")])
    monkeypatch.delenv("ENRICHMENT_TEST_KEY")
    stage = stage_of(server.generator())
    stage.warm_up()
    known, new = stage.run([task("a"), task("b")])
    assert known.value == "ok"
    assert "ENRICHMENT_TEST_KEY" in new.reason


def test_no_server_at_all() -> None:
    key = Secret.from_token("x")

    class Unserved(OpenAIChatGenerator):
        def to_dict(self) -> dict[str, Any]:
            return {"type": "unserved", "init_parameters": {}}

    generator = Unserved(api_key=key, api_base_url="http://127.0.0.1:9/v1")
    (outcome,) = stage_of(generator, attempts=2).run([task("a")])
    assert "onnection" in outcome.reason


def test_a_cache_that_is_damaged_costs_calls_only(server) -> None:
    path = hub_home() / "cache" / "enrichment.sqlite3"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"no database" * 500)
    assert stage_of(server.generator()).run([task("a")]) == [Outcome("ok")]


class Stuck:
    """A generator with no time limit of its own."""

    def __init__(self) -> None:
        self.released = threading.Event()
        self.calls = 0

    def to_dict(self) -> dict[str, Any]:
        return {"type": "stuck", "init_parameters": {}}

    def run(self, messages: list[ChatMessage]) -> dict[str, Any]:
        self.calls += 1
        self.released.wait(30)
        return {"replies": [ChatMessage.from_assistant("late")]}


def test_calls_that_hang_are_few_and_their_threads_do_not_hold_up_the_exit() -> None:
    stuck = Stuck()
    outcomes = stage_of(stuck, concurrency=2, timeout_s=0.2).run([task(str(number)) for number in range(20)])
    assert stuck.calls <= 2
    assert all(outcome.reason for outcome in outcomes)
    hanging = [thread for thread in threading.enumerate() if thread.name == "enrichment"]
    assert hanging
    assert all(thread.daemon for thread in hanging)
    stuck.released.set()
    end = time.monotonic() + 10
    while any(thread.name == "enrichment" and thread.is_alive() for thread in hanging):  # a thread that is free waits
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize(
    "limit", [{"concurrency": 0}, {"attempts": 0}, {"timeout_s": 0}, {"budget_s": -1}, {"backoff_s": -1}]
)
def test_limits_that_make_no_sense_are_refused(limit: dict[str, Any]) -> None:
    with pytest.raises(GraphError, match=f"{next(iter(limit))}="):
        stage_of(Stuck(), **limit)
