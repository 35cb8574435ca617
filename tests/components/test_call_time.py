import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from haystack import Document, component, tracing
from haystack.tracing import Span, Tracer

from khub.components import bounded_call, call_time
from khub.components.bounded_call import BoundedCalls
from khub.components.call_time import loading, time_left
from khub.components.guard import Guard
from khub.components.rankers.bounded_ranker import BoundedRanker

pytestmark = pytest.mark.unit

PATIENCE_S = 20
LIMIT_S = 0.1
loads = threading.Event()
loaded = threading.Event()
works = threading.Event()

Runner = Callable[[Guard, dict[str, Any]], dict[str, Any]]


@component
class LoadsInRun:
    """Loads its model at its first run; hangs behind that where a test says so."""

    def __init__(self, hangs: bool = False) -> None:
        self.hangs = hangs

    @component.output_types(documents=list[Document])
    def run(self, query: str, documents: list[Document]) -> dict[str, Any]:
        with loading(), loading():
            loads.set()
            loaded.wait(PATIENCE_S)
        if self.hangs:
            works.wait(PATIENCE_S)
        return {"documents": documents[::-1]}


@component
class LoadsInWarmUp:
    def warm_up(self) -> None:
        loads.set()
        loaded.wait(PATIENCE_S)

    @component.output_types(documents=list[Document])
    def run(self, query: str, documents: list[Document]) -> dict[str, Any]:
        return {"documents": documents[::-1]}


@pytest.fixture(autouse=True)
def _events() -> Iterator[None]:
    for event in (loads, loaded, works):
        event.clear()
    yield
    for event in (loaded, works):
        event.set()


@pytest.fixture(params=["run", "run_async"])
def run(request: pytest.FixtureRequest) -> Runner:
    if request.param == "run":
        return lambda guard, inputs: guard.run(**inputs)
    return lambda guard, inputs: asyncio.run(guard.run_async(**inputs))


def begun(run: Runner, guard: Guard) -> tuple[threading.Thread, list[dict[str, Any]]]:
    """Run a guard in a thread; return when its time would be over, were it not loading."""
    outputs: list[dict[str, Any]] = []
    inputs = {"query": "q", "documents": [Document(id="a"), Document(id="b")]}
    thread = threading.Thread(target=lambda: outputs.append(run(guard, inputs)))
    thread.start()
    assert loads.wait(PATIENCE_S)
    thread.join(3 * LIMIT_S)
    assert thread.is_alive(), "it has given up a model that is being loaded"
    return thread, outputs


@pytest.mark.parametrize("part", [LoadsInRun, LoadsInWarmUp])
def test_loading_does_not_count(part: type, run: Runner) -> None:
    thread, outputs = begun(run, Guard(part(), "order", LIMIT_S))
    loaded.set()
    thread.join(PATIENCE_S)
    assert outputs[0]["degraded"] == []
    assert [document.id for document in outputs[0]["documents"]] == ["b", "a"]


def test_what_comes_after_the_loading_does(run: Runner) -> None:
    thread, outputs = begun(run, Guard(LoadsInRun(hangs=True), "order", LIMIT_S))
    loaded.set()
    begin = time.monotonic()
    thread.join(PATIENCE_S)
    assert time.monotonic() - begin < PATIENCE_S / 2
    assert [(entry["stage"], "0.1 s" in entry["reason"]) for entry in outputs[0]["degraded"]] == [("order", True)]


def test_loading_has_a_limit_of_its_own(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (call_time, bounded_call):
        monkeypatch.setattr(module, "LOADING_S", 5 * LIMIT_S)
    thread, outputs = begun(run, Guard(LoadsInRun(), "order", LIMIT_S))
    thread.join(PATIENCE_S)
    assert ["not loaded in 0.5 s" in entry["reason"] for entry in outputs[0]["degraded"]] == [True]


def test_a_ranker_inside_of_a_stage_inside_of_another_call_is_waited_for(run: Runner) -> None:
    calls = BoundedCalls("outer")
    guard = Guard(BoundedRanker(LoadsInWarmUp()), "order", LIMIT_S)
    outer = calls.start(guard._warm_component, LIMIT_S)
    assert loads.wait(PATIENCE_S)
    time.sleep(2 * LIMIT_S)
    loaded.set()
    calls.wait(outer)
    assert outer.done()


def test_the_time_that_is_left_is_that_of_the_shortest_call_around() -> None:
    calls = BoundedCalls("outer")

    def inner() -> float:
        return BoundedCalls("inner").start(time_left, PATIENCE_S).result()

    assert 0 < calls.start(inner, 5).result() <= 5
    assert time_left() == float("inf")


def test_the_trace_tells_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    class Noting(Tracer):
        def current_span(self) -> Span | None:
            return None

        def trace(self, operation_name: str, tags: Any = None, parent_span: Any = None) -> Any:
            opened.append(operation_name)
            return before.trace(operation_name, tags, parent_span)

    before = tracing.tracer.actual_tracer
    monkeypatch.setattr(tracing.tracer, "actual_tracer", Noting())
    loaded.set()
    LoadsInRun().run("q", [])
    assert opened == ["load"]
