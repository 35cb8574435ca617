import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from haystack import Pipeline, component
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.components.query import QueryExpander
from haystack.components.rankers import LLMRanker
from haystack.dataclasses import ChatMessage, StreamingChunk
from haystack.utils import Secret

from khub.components.bounded_call import BoundedCalls
from khub.components.guard import Guard
from khub.components.model_servers import served_run
from khub.components.model_servers.served_run import ServedRun, all_by_server, by_server
from khub.components.query.query_expansion import QueryExpansion
from khub.components.question import Question
from khub.components.rankers.bounded_ranker import BoundedRanker
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit

PATIENCE_S = 20
ASKED = [ChatMessage.from_user("?")]
ports = iter(range(1, 60000))


@component
class Remote:
    """A chat generator that does what its turns say, the last one again and again."""

    def __init__(self, *turns: Any, raise_on_failure: bool = True) -> None:
        self.url = f"http://127.0.0.1:{next(ports)}"
        self.turns = list(turns)
        self.calls = 0
        self.release = threading.Event()
        self.raise_on_failure = raise_on_failure

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage], streaming_callback: Any = None) -> dict[str, Any]:
        turn = self.turns[min(self.calls, len(self.turns) - 1)]
        self.calls += 1
        if turn == "hangs":
            self.release.wait(PATIENCE_S)
        if turn == "breaks" and streaming_callback:
            streaming_callback(StreamingChunk("a"))
            raise ConnectionError("broken")
        if isinstance(turn, Exception):
            if not self.raise_on_failure:
                return {"replies": []}
            raise turn
        return {"replies": [ChatMessage.from_assistant(turn)]}


def refused(status: int, **headers: str) -> Exception:
    request = httpx.Request("POST", "http://x")
    response = httpx.Response(status, headers=headers, request=request)
    return httpx.HTTPStatusError("no", request=request, response=response)


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    slept: list[float] = []

    class Short:
        @staticmethod
        def sleep(seconds: float) -> None:
            slept.append(seconds)
            time.sleep(min(seconds, 0.03))

    monkeypatch.setattr(served_run, "time", Short)
    return slept


def ask(part: Any, timeout_s: float = PATIENCE_S) -> Any:
    """Ask within a time limit, as a guard does."""
    calls = BoundedCalls("test")
    call = calls.start(lambda: part.run(messages=ASKED), timeout_s)
    calls.wait(call)
    if not call.done():
        raise calls.give_up(call, timeout_s)
    return call.result()["replies"][0].text


def test_a_call_that_failed_is_made_again_once_after_a_pause_while_somebody_waits(pauses: list[float]) -> None:
    assert ask(by_server(Remote(refused(503), "ok"))) == "ok"
    assert len(pauses) == 1
    assert 0.5 <= pauses[0] <= 1
    failing = by_server(Remote(refused(503)))
    with pytest.raises(httpx.HTTPStatusError):
        ask(failing)
    assert failing.calls == 2


def test_work_that_nobody_waits_for_is_more_patient(pauses: list[float]) -> None:
    turns = [refused(503), ConnectionError("reset"), refused(429), "ok"]
    assert by_server(Remote(*turns)).run(messages=ASKED)["replies"][0].text == "ok"
    assert all(low <= pause <= high for pause, low, high in zip(pauses, (0.5, 1, 2), (1, 2, 4), strict=True)), pauses


def test_the_components_own_number_of_retries_is_kept() -> None:
    part = Remote(refused(500))
    part.max_retries = 0
    with pytest.raises(httpx.HTTPStatusError):
        by_server(part).run(messages=ASKED)
    assert part.calls == 1


def test_the_server_says_how_long_to_wait_and_a_longer_time_than_there_is_is_not_waited(pauses: list[float]) -> None:
    assert ask(by_server(Remote(refused(429, **{"retry-after-ms": "20"}), "ok"))) == "ok"
    assert pauses[0] == 0.02
    part = by_server(Remote(refused(429, **{"retry-after": "30"}), "ok"))
    with pytest.raises(httpx.HTTPStatusError):
        ask(part)
    with raises_code("model_not_asked", "30 s"):
        ask(part)
    assert part.calls == 1


@pytest.mark.parametrize("status", [400, 401, 404])
def test_what_asking_again_would_not_mend_is_not_asked_again(status: int) -> None:
    part = by_server(Remote(refused(status)))
    with pytest.raises(httpx.HTTPStatusError):
        ask(part)
    assert part.calls == 1


def test_a_call_that_is_given_up_from_outside_counts_and_its_late_answer_too() -> None:
    part = by_server(Remote("hangs", "ok"))
    with pytest.raises(TimeoutError, match=rf"{part.url[7:]} in 0\.5 s"):
        ask(part, 0.5)
    with raises_code("model_not_asked", "0 s ago", "in 10 s"):
        ask(part, 0.5)
    part.release.set()
    end = time.monotonic() + PATIENCE_S
    while part.run.server._in_a_row:
        assert time.monotonic() < end
    assert ask(part) == "ok"


def test_a_reply_that_breaks_off_is_not_begun_anew() -> None:
    part, heard = by_server(Remote("breaks")), []
    with pytest.raises(ConnectionError):
        part.run(messages=ASKED, streaming_callback=heard.append)
    assert (part.calls, len(heard)) == (1, 1)


def test_a_component_that_only_logs_its_failures_raises_them_and_stays_as_it_is() -> None:
    part = by_server(Remote(refused(401), raise_on_failure=False))
    with pytest.raises(httpx.HTTPStatusError):
        part.run(messages=ASKED)
    assert part.raise_on_failure is False


def test_the_retries_of_a_client_give_way_and_what_the_graph_says_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", "secret-word")
    url = f"http://127.0.0.1:{next(ports)}/v1"
    generator = OpenAIChatGenerator(Secret.from_env_var("KEY"), "m", api_base_url=url, max_retries=3)
    before = generator.to_dict()
    with pytest.raises(Exception, match="Connection error"):
        ask(by_server(generator))
    assert generator.client is not None
    assert generator.client.max_retries == 0
    assert generator.to_dict() == before


def test_whatever_asks_inside_of_a_pipeline_goes_by_its_server() -> None:
    parts = [Remote("x") for _ in range(4)]
    inner = Pipeline()
    inner.add_component("deep", parts[3])

    @component
    class Contains:
        def __init__(self) -> None:
            self.pipeline = inner

        @component.output_types(value=int)
        def run(self, value: int) -> dict[str, int]:
            return {"value": value}

    pipeline = Pipeline()
    pipeline.add_component("expand", QueryExpansion(QueryExpander(chat_generator=parts[0])))
    pipeline.add_component("order", Guard(BoundedRanker(LLMRanker(chat_generator=parts[1])), "order"))
    pipeline.add_component("bare", parts[2])
    pipeline.add_component("sub", Contains())
    all_by_server(pipeline)
    assert [type(part.run) for part in parts] == [ServedRun] * 4


def test_a_stage_whose_expander_keeps_the_failure_to_itself_tells_it() -> None:
    part = by_server(Remote(refused(401)))
    with pytest.raises(httpx.HTTPStatusError):
        QueryExpansion(QueryExpander(chat_generator=part, include_original_query=False)).run(Question("why?", "why?"))


def test_a_call_that_began_late_in_its_stage_says_nothing_of_the_server() -> None:
    part = by_server(Remote("hangs", "ok"))
    calls = BoundedCalls("test")
    begun = threading.Event()

    def work() -> None:
        begun.wait(PATIENCE_S)
        part.run(messages=ASKED)

    call = calls.start(work, PATIENCE_S)
    begun.set()
    while not part.calls:
        time.sleep(0.001)
    calls.give_up(call, PATIENCE_S)  # far sooner than half of the time
    assert ask(part) == "ok"
    part.release.set()


def test_the_pause_leaves_time_for_the_call() -> None:
    part = by_server(Remote(refused(503), "ok"))
    with pytest.raises(httpx.HTTPStatusError):
        ask(part, 0.5)
    assert part.calls == 1


def test_pieces_go_to_the_loop_that_waits_for_them() -> None:
    heard: list[str] = []

    @component
    class Streams(Remote):
        @component.output_types(replies=list[ChatMessage])
        def run(self, messages: list[ChatMessage], streaming_callback: Any = None) -> dict[str, Any]:
            streaming_callback(StreamingChunk("a"))
            return {"replies": [ChatMessage.from_assistant("a")]}

        @component.output_types(replies=list[ChatMessage])
        async def run_async(self, messages: list[ChatMessage], streaming_callback: Any = None) -> dict[str, Any]:
            raise AssertionError("not by way of its server")

    async def hear(chunk: StreamingChunk) -> None:
        heard.append(chunk.content)

    part = by_server(Streams("a"))
    reply = asyncio.run(part.run_async(messages=ASKED, streaming_callback=hear))["replies"][0]
    assert (reply.text, heard) == ("a", ["a"])
