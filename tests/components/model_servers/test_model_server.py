import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from haystack.components.embedders import OpenAITextEmbedder
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.utils import Secret

from khub.components.call_time import CallTime
from khub.components.embedders.text_embedder import TextEmbedder
from khub.components.errors import GraphError
from khub.components.model_servers import model_server
from khub.components.model_servers.model_failure import ModelFailure, NotAskedError
from khub.components.model_servers.model_server import ModelServer, server_of
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit

HUNG = ModelFailure.of(TimeoutError())
QUICK = ModelFailure.of(ConnectionError("refused"))
KEY = Secret.from_token("secret-word")


class Clock:
    """Time that passes when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    clock = Clock()
    monkeypatch.setattr(model_server, "time", clock)
    return clock


@pytest.fixture
def server() -> ModelServer:
    return ModelServer("the server at host:1")


def hang(server: ModelServer, clock: Clock, seconds: float) -> None:
    call = server.begin()
    clock.now += seconds
    call.given_up(seconds, True)


def test_one_call_that_hangs_and_the_server_is_left_alone_until_a_trial_has_an_answer(
    server: ModelServer, clock: Clock
) -> None:
    hang(server, clock, 10)
    clock.now += 4
    with raises_code("model_not_asked", "host:1", "4 s ago") as refused:
        server.begin()
    assert (refused.value.wait_s, refused.value.rests, refused.value.given_up) == (26, True, False)
    clock.now += 26
    trial = server.begin()
    with pytest.raises(NotAskedError):
        server.begin()
    trial.answered()
    server.begin()


def test_a_trial_that_fails_too_gives_the_server_up(server: ModelServer, clock: Clock) -> None:
    hang(server, clock, 10)
    clock.now += 30
    hang(server, clock, 10)
    with pytest.raises(NotAskedError) as refused:
        server.begin()
    assert refused.value.given_up


def test_a_trial_that_ends_without_a_word_of_the_server_makes_room_for_another(
    server: ModelServer, clock: Clock
) -> None:
    hang(server, clock, 10)
    clock.now += 30
    server.begin().dropped()
    server.begin()


def test_a_trial_that_never_ends_does_not_keep_the_others_from_trying(server: ModelServer, clock: Clock) -> None:
    hang(server, clock, 10)
    clock.now += 30
    server.begin()
    clock.now += 61
    server.begin()


def test_a_stage_with_a_short_limit_does_not_stop_one_that_has_more_time(server: ModelServer, clock: Clock) -> None:
    hang(server, clock, 10)
    with CallTime(15).entered(), pytest.raises(NotAskedError):
        server.begin()
    with CallTime(60).entered():
        longer = server.begin()
        with pytest.raises(NotAskedError):
            server.begin()
        clock.now += 60
        longer.given_up(60, True)
        with pytest.raises(NotAskedError):
            server.begin()


def test_more_time_does_not_help_where_the_server_refuses(server: ModelServer, clock: Clock) -> None:
    for _ in range(5):
        server.begin().failed(QUICK)
    with CallTime(60).entered(), pytest.raises(NotAskedError):
        server.begin()


def test_a_call_that_is_given_up_twice_counts_once(server: ModelServer, clock: Clock) -> None:
    call = server.begin()
    clock.now += 10
    call.given_up(10, True)  # by its stage
    clock.now += 10
    call.given_up(20, True)  # by the call inside of it
    with pytest.raises(NotAskedError) as refused:
        server.begin()
    assert refused.value.wait_s == 20


def test_a_late_answer_brings_the_server_back_at_once(server: ModelServer, clock: Clock) -> None:
    slow = server.begin()
    clock.now += 10
    slow.given_up(10, True)
    slow.failed(QUICK)  # nobody waits for it any more
    with pytest.raises(NotAskedError):
        server.begin()
    slow.answered()
    server.begin()


def test_a_call_that_is_slow_among_others_that_are_answered_stops_nothing(server: ModelServer, clock: Clock) -> None:
    slow, quick = server.begin(), server.begin()
    clock.now += 5
    quick.answered()
    clock.now += 5
    slow.given_up(10, True)
    server.begin()


def test_what_had_little_time_or_is_heard_already_is_no_sign_of_hanging(server: ModelServer, clock: Clock) -> None:
    late = server.begin()
    clock.now += 1
    late.given_up(10, True)
    stopped = server.begin()
    clock.now += 10
    stopped.given_up(10, False)
    heard = server.begin()
    heard.speaks()
    clock.now += 10
    heard.given_up(10, True)
    server.begin()


def test_quick_failures_are_counted_and_an_answer_ends_the_row(server: ModelServer, clock: Clock) -> None:
    for _ in range(4):
        server.begin().failed(QUICK)
    server.begin().answered()
    for _ in range(5):
        server.begin().failed(QUICK)
    with pytest.raises(NotAskedError) as refused:
        server.begin()
    assert refused.value.wait_s == model_server.SHORTEST_PAUSE_S


def test_one_place_is_shared_by_all_that_ask_there_for_a_model() -> None:
    def chat(**more: Any) -> OpenAIChatGenerator:
        url = "http://user:password@127.0.0.1:4/v1"
        return OpenAIChatGenerator(**{"api_key": KEY, "model": "one", "api_base_url": url, **more})

    one = server_of(chat())
    assert one is not None
    assert (
        one
        is server_of(chat(timeout=3.0))
        is server_of(OpenAITextEmbedder(KEY, "one", api_base_url="http://127.0.0.1:4/x"))
    )
    assert one is not server_of(chat(model="two"))
    assert one.name == "the server at 127.0.0.1:4"
    hosted = server_of(chat(api_base_url=None))
    assert hosted is not None
    assert hosted.name == "the server of OpenAI"


def test_what_asks_no_server_has_none() -> None:
    assert server_of(TextEmbedder("khub-fast")) is None


def test_no_more_requests_a_minute(server: ModelServer, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KHUB_MODEL_REQUESTS_PER_MINUTE", "2")
    server.begin()
    clock.now += 20
    server.begin()
    with pytest.raises(NotAskedError, match="KHUB_MODEL_REQUESTS_PER_MINUTE=2 is reached") as refused:
        server.begin()
    assert (refused.value.wait_s, refused.value.rests) == (40, False)
    clock.now += 40
    server.begin()
    monkeypatch.setenv("KHUB_MODEL_REQUESTS_PER_MINUTE", "few")
    with pytest.raises(GraphError, match="KHUB_MODEL_REQUESTS_PER_MINUTE is 'few'"):
        server.begin()


def test_of_many_threads_one_makes_the_trial(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_server, "SHORTEST_PAUSE_S", 0.0)
    server.begin().failed(HUNG)
    begun: list[object] = []
    gate = threading.Barrier(8)

    def begin() -> None:
        gate.wait()
        try:
            begun.append(server.begin())
        except NotAskedError:
            return

    threads = [threading.Thread(target=begin) for _ in range(8)]
    assert time.monotonic() >= server._not_asked_before
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(begun) == 1
