import asyncio
import contextvars
import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from haystack import Document, Pipeline, component
from haystack.core.component.types import Variadic

from khub.components import bounded_call
from khub.components import guard as guard_module
from khub.components.errors import (
    BindingError,
    CollectionError,
    FilterError,
    GraphError,
    KhubError,
    QueryError,
    StoreError,
)
from khub.components.guard import Guard
from khub.components.idle_threads import IDLE, IdleThreads
from khub.components.question import Leg

pytestmark = pytest.mark.unit

PATIENCE_S = 20
ERRORS: dict[str, BaseException] = {
    "runtime": RuntimeError("leg\ndown"),
    "store": StoreError("Index 'a' is locked", "close the other process"),
    "timeout": TimeoutError("socket"),
    "exit": SystemExit(3),
    "query": QueryError("q"),
    "filter": FilterError("f"),
    "collection": CollectionError("c"),
    "binding": BindingError("b", "embed it again"),
}
release = threading.Event()
request_id: contextvars.ContextVar[str] = contextvars.ContextVar("request_id", default="none")

Runner = Callable[[Guard, dict[str, Any]], dict[str, Any]]


@component
class Ranker:
    """Reverses; hangs until `release` is set; raises; or returns what is no dict."""

    def __init__(self, hang: bool = False, error: str = "", rubbish: bool = False) -> None:
        self.hang = hang
        self.error = error
        self.rubbish = rubbish
        self.threads: list[threading.Thread] = []

    @component.output_types(documents=list[Document], leg=Leg, note=str)
    def run(self, query: str, documents: list[Document] | None = None) -> dict[str, Any]:
        self.threads.append(threading.current_thread())
        if self.hang:
            release.wait(PATIENCE_S)
        if self.error:
            raise ERRORS[self.error]
        if self.rubbish:
            return None  # type: ignore[return-value]
        leg = Leg(query, reason=request_id.get())
        return {"documents": (documents or [])[::-1], "leg": leg, "note": "ranked"}


@component
class Model:
    """A component with something to load."""

    def __init__(self, failures: int = 0, slow: bool = False) -> None:
        self.failures = failures
        self.slow = slow
        self.loads = 0
        self.closed = False

    def warm_up(self) -> None:
        self.loads += 1
        if self.slow:
            release.wait(PATIENCE_S)
        if self.loads <= self.failures:
            raise FileNotFoundError("model.onnx")

    def close(self) -> None:
        self.closed = True

    @component.output_types(documents=list[Document], degraded=list[dict])
    def run(self, documents: list[Document]) -> dict[str, Any]:
        return {"documents": documents, "degraded": [{"stage": "inner", "reason": "index is stale"}]}


@component
class Collect:
    @component.output_types(total=int)
    def run(self, numbers: Variadic[int], extra: int = 1) -> dict[str, Any]:
        return {"total": sum(numbers) + extra}


@pytest.fixture(autouse=True)
def _nothing_hangs_after_a_test() -> Iterator[None]:
    release.clear()
    yield
    release.set()


@pytest.fixture(params=["run", "run_async"])
def run(request: pytest.FixtureRequest) -> Runner:
    if request.param == "run":
        return lambda guard, inputs: guard.run(**inputs)
    return lambda guard, inputs: asyncio.run(guard.run_async(**inputs))


def documents(*ids: str) -> list[Document]:
    return [Document(id=id_, content=id_) for id_ in ids]


def ids(result: dict[str, Any]) -> list[str]:
    return [document.id for document in result["documents"]]


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)


def all_ended(guard: Guard) -> bool:
    return all(thread.name == IDLE or not thread.is_alive() for thread in guard.component.threads)


def test_a_healthy_component_answers_in_a_daemon_thread(run: Runner) -> None:
    guard = Guard(Ranker(), "rank")

    result = run(guard, {"query": "q", "documents": documents("a", "b")})

    assert ids(result) == ["b", "a"]
    assert result["leg"].name == "q"
    assert result["degraded"] == []
    assert guard.component.threads[0].daemon
    assert guard.component.threads[0] is not threading.main_thread()


def test_what_the_component_itself_reports_as_degraded_is_kept(run: Runner) -> None:
    result = run(Guard(Model(), "dense"), {"documents": []})

    assert result["degraded"] == [{"stage": "inner", "reason": "index is stale"}]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ("runtime", "RuntimeError: leg down"),
        ("store", "Index 'a' is locked: close the other process"),
        ("binding", "b: embed it again"),
        ("timeout", "TimeoutError: socket"),
        ("exit", "SystemExit: 3"),
    ],
)
def test_after_a_failure_inputs_stand_in_for_outputs_and_the_leg_has_failed(
    run: Runner, error: str, reason: str
) -> None:
    result = run(Guard(Ranker(error=error), "rank"), {"query": "q", "documents": documents("a", "b")})

    assert ids(result) == ["a", "b"]
    assert result["leg"] == Leg("rank", used=False, reason=reason, failed=True)
    assert "note" not in result
    assert result["degraded"] == [{"stage": "rank", "reason": reason}]


def test_a_component_that_returns_no_dict_is_degraded(run: Runner) -> None:
    assert run(Guard(Ranker(rubbish=True), "rank"), {"query": "q"})["degraded"][0]["reason"].startswith("TypeError")


def test_a_list_for_which_no_input_stands_in_is_empty(run: Runner) -> None:
    assert run(Guard(Ranker(error="runtime"), "rank"), {"query": "q"})["documents"] == []


@pytest.mark.parametrize("error", ["query", "filter", "collection"])
def test_a_mistake_of_the_caller_is_raised(run: Runner, error: str) -> None:
    with pytest.raises(type(ERRORS[error])):
        run(Guard(Ranker(error=error), "dense"), {"query": "q"})


def test_a_hanging_component_is_left_behind(run: Runner) -> None:
    guard = Guard(Ranker(hang=True), "rank", timeout_s=0.05)

    start = time.monotonic()
    result = run(guard, {"query": "q", "documents": documents("a", "b")})

    assert time.monotonic() - start < PATIENCE_S / 2
    assert ids(result) == ["a", "b"]
    (entry,) = result["degraded"]
    assert (entry["stage"], "0.05 s" in entry["reason"]) == ("rank", True)
    assert result["leg"] == Leg("rank", used=False, reason=entry["reason"], failed=True)


@pytest.mark.parametrize("max_hung", [1, 2])
def test_hung_calls_bar_further_ones_until_they_end(run: Runner, max_hung: int) -> None:
    guard = Guard(Ranker(hang=True), "rank", timeout_s=0.02, max_hung=max_hung)
    for _ in range(max_hung):
        assert "0.02 s" in run(guard, {"query": "q"})["degraded"][0]["reason"]

    assert run(guard, {"query": "q"})["degraded"][0]["reason"].startswith(f"busy: {max_hung} calls")
    assert len(guard.component.threads) == max_hung

    release.set()
    wait_until(lambda: all_ended(guard))
    guard.timeout_s = PATIENCE_S
    assert run(guard, {"query": "q"})["degraded"] == []


def test_many_calls_at_once_neither_block_the_loop_nor_mix_up_their_counts() -> None:
    guard = Guard(Ranker(hang=True), "rank", timeout_s=0.1)
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.005)

    async def everything() -> list[dict[str, Any]]:
        ticking = asyncio.create_task(tick())
        results = await asyncio.gather(*[guard.run_async(query=str(n)) for n in range(12)])
        ticking.cancel()
        return results

    results = asyncio.run(everything())

    assert ticks > 3
    assert all("0.1 s" in result["degraded"][0]["reason"] for result in results)
    release.set()
    wait_until(lambda: all_ended(guard))
    guard.timeout_s = PATIENCE_S
    many = [guard.run(query=str(n))["leg"].name for n in range(5)]
    assert many == ["0", "1", "2", "3", "4"]


def test_a_short_call_ends_without_a_round_of_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard_module, "SHORT_S", PATIENCE_S)
    call = Guard(Ranker(), "rank").run_async(query="q")

    with pytest.raises(StopIteration) as ended:  # it never gave the word back to a loop
        call.send(None)

    assert ended.value.value["leg"].name == "q"


def test_a_call_that_was_given_up_counts_once_its_time_is_over() -> None:
    guard = Guard(Ranker(hang=True), "rank", timeout_s=0.05, max_hung=1)

    async def give_up() -> None:
        task = asyncio.create_task(guard.run_async(query="q"))
        await asyncio.sleep(0)  # lets the task start the call
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(give_up())
    time_over = time.monotonic() + guard.timeout_s
    wait_until(lambda: time.monotonic() > time_over)

    assert guard.run(query="q")["degraded"][0]["reason"].startswith("busy: 1 calls")


def test_the_loop_may_be_closed_when_a_hung_call_ends(caplog: pytest.LogCaptureFixture) -> None:
    guard = Guard(Ranker(hang=True, error="runtime"), "rank", timeout_s=0.02)
    asyncio.run(guard.run_async(query="q"))
    caplog.clear()

    release.set()
    wait_until(lambda: all_ended(guard))

    assert caplog.records == []


def test_no_thread_left_in_the_system_is_degraded(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    guard = Guard(Ranker(), "rank", max_hung=1)

    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(bounded_call, "SHARED", IdleThreads())
        patch.setattr(threading.Thread, "start", refuse)
        result = run(guard, {"query": "q"})

    assert result["degraded"] == [{"stage": "rank", "reason": "RuntimeError: can't start new thread"}]
    assert run(guard, {"query": "q"})["degraded"] == []


def test_context_variables_reach_the_component(run: Runner) -> None:
    token = request_id.set("r1")
    try:
        assert run(Guard(Ranker(), "rank"), {"query": "q"})["leg"].reason == "r1"
    finally:
        request_id.reset(token)


def test_context_variables_are_not_carried_over(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_call, "SHARED", IdleThreads())
    guard = Guard(Ranker(), "rank")
    token = request_id.set("r1")
    try:
        run(guard, {"query": "q"})
    finally:
        request_id.reset(token)
    wait_until(lambda: all_ended(guard))

    assert run(guard, {"query": "q"})["leg"].reason == "none"
    assert guard.component.threads[0] is guard.component.threads[1]


def test_no_later_call_waits_for_one_that_hangs(run: Runner) -> None:
    hanging = Guard(Ranker(hang=True), "dense", timeout_s=0.02, max_hung=3)
    for _ in range(3):
        run(hanging, {"query": "q"})

    assert run(Guard(Ranker(), "rank", timeout_s=PATIENCE_S), {"query": "q"})["degraded"] == []
    assert not release.is_set()


def test_a_failure_is_logged_once(run: Runner, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        run(Guard(Ranker(error="runtime"), "rank"), {"query": "q"})

    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert record.getMessage() == "rank is degraded: RuntimeError: leg down"
    assert record.exc_info is not None
    assert record.exc_info[1] is ERRORS["runtime"]


def test_a_foreseen_failure_is_logged_without_a_traceback(caplog: pytest.LogCaptureFixture) -> None:
    Guard(Ranker(error="store"), "rank").run(query="q")

    assert [record.exc_info for record in caplog.records] == [None]


def test_a_long_message_is_cut() -> None:
    class LongError(KhubError):
        pass

    ERRORS["long"] = LongError("x" * 100_000)

    assert len(Guard(Ranker(error="long"), "rank").run(query="q")["degraded"][0]["reason"]) == 500


def test_warm_up_is_done_once(run: Runner) -> None:
    guard = Guard(Model(), "dense")
    for _ in range(3):
        guard.warm_up()
    run(guard, {"documents": []})

    assert guard.component.loads == 1


def test_a_component_that_nobody_has_warmed_is_warmed_by_its_first_run(run: Runner) -> None:
    guard = Guard(Model(), "dense")
    run(guard, {"documents": []})
    run(guard, {"documents": []})

    assert guard.component.loads == 1


def test_a_failed_warm_up_is_reported_by_run_and_tried_again_later(
    run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(guard_module.time, "monotonic", lambda: now)
    guard = Guard(Model(failures=2), "dense", timeout_s=PATIENCE_S)
    inputs = {"documents": documents("a")}
    guard.warm_up()
    guard.warm_up()

    result = run(guard, inputs)
    assert result["degraded"] == [{"stage": "dense", "reason": "FileNotFoundError: model.onnx"}]
    assert ids(result) == ["a"]
    assert guard.component.loads == 1

    now += 6
    assert run(guard, inputs)["degraded"][0]["reason"] == "FileNotFoundError: model.onnx"
    assert guard.component.loads == 2

    now += 6
    assert run(guard, inputs)["degraded"][0]["reason"] == "index is stale"
    assert guard.component.loads == 3


class Queue:
    """A lock that counts who has come to it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.came: list[threading.Thread] = []

    def __enter__(self) -> None:
        self.came.append(threading.current_thread())
        self.lock.acquire()

    def __exit__(self, *_: object) -> None:
        self.lock.release()


def test_threads_that_warm_up_together_load_once(monkeypatch: pytest.MonkeyPatch) -> None:
    guard = Guard(Model(slow=True), "dense")
    queue = Queue()
    monkeypatch.setattr(guard, "_warm_lock", queue)
    threads = [threading.Thread(target=guard.warm_up) for _ in range(8)]
    for thread in threads:
        thread.start()
    wait_until(lambda: len(queue.came) == 8)
    release.set()
    for thread in threads:
        thread.join()

    assert guard.component.loads == 1


def test_close_is_passed_on() -> None:
    guard = Guard(Model(), "dense")
    guard.close()
    Guard(Ranker(), "rank").close()

    assert guard.component.closed


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"timeout_s": 0}, "timeout_s=0"),
        ({"max_hung": 0}, "max_hung=0"),
        ({"component": {"type": "x"}}, "holds no component"),
    ],
)
def test_a_wrong_parameter_is_refused_at_construction(parameters: dict[str, Any], named: str) -> None:
    with pytest.raises(GraphError, match=named):
        Guard(**{"component": Ranker(), "stage": "rank", **parameters})


GRAPH = f"""
components:
  rank:
    type: khub.components.guard.Guard
    init_parameters:
      stage: rank
      timeout_s: 0.05
      max_hung: 3
      component: {{type: {__name__}.Ranker, init_parameters: {{hang: HANG}}}}
  sum:
    type: khub.components.guard.Guard
    init_parameters: {{stage: sum, component: {{type: {__name__}.Collect, init_parameters: {{}}}}}}
connections: []
"""


@pytest.mark.parametrize("hang", [False, True])
def test_a_graph_holds_the_component_nested_and_keeps_it_through_a_round_trip(hang: bool) -> None:
    allowed = ["khub.components.*", __name__]
    pipeline = Pipeline.loads(GRAPH.replace("HANG", str(hang).lower()), allowed_modules=allowed)
    pipeline = Pipeline.loads(pipeline.dumps(), allowed_modules=allowed)
    guard = pipeline.get_component("rank")
    data = {"rank": {"query": "q", "documents": documents("a", "b")}, "sum": {"numbers": 2}}

    assert isinstance(guard.component, Ranker)
    assert (guard.component.hang, guard.timeout_s, guard.max_hung) == (hang, 0.05, 3)
    guard.timeout_s = 0.05 if hang else PATIENCE_S
    for result in (pipeline.run(data), asyncio.run(pipeline.run_async(data))):
        assert ids(result["rank"]) == (["a", "b"] if hang else ["b", "a"])
        assert bool(result["rank"]["degraded"]) == hang
        assert result["sum"]["total"] == 3


def test_sockets_keep_their_kind() -> None:
    sockets = Guard(Collect(), "sum").__haystack_input__

    assert sockets.numbers.is_lazy_variadic
    assert sockets.extra.default_value == 1
    assert not sockets.extra.is_mandatory


def test_the_component_is_checked_against_the_allowed_modules() -> None:
    with pytest.raises(Exception, match="allow"):
        Pipeline.loads(GRAPH.replace("HANG", "false"), allowed_modules=["khub.components.*"])
