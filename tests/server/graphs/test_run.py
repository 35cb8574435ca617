import asyncio
import re
import time
from concurrent.futures import ThreadPoolExecutor

import graph_parts
import pytest

from khub.server.graphs.load import load_graph
from khub.server.graphs.places import SHARES, Places, Share, counted_among, take_place
from khub.server.graphs.run import _kind_of_work, run_graph, run_graph_async
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit

ONE = """\
metadata: {{kind: query}}
components:
  part: {{type: graph_parts.{type}, init_parameters: {{{parameters}}}}}
inputs: {{query: part.query}}
outputs: {{documents: part.documents}}
"""


def one(write_graph, type_: str, parameters: str = "", name: str = "one"):
    write_graph(name, ONE.format(type=type_, parameters=parameters))
    return load_graph(name)


def test_outputs_come_by_their_declared_names(write_graph):
    write_graph("query")
    result = run_graph(load_graph("query"), {"query": "q", "collection": None})
    assert result.outputs["answer"] == {"answer": "found 2", "collection": "found", "query": "q"}
    assert [d.id for d in result.outputs["documents"]] == ["default-0", "default-1"]  # an inner socket, connected on
    assert set(result.timings_ms) == {"find", "answer", "warm_up", "total"}
    assert len(result.trace_id) == 32


def test_declared_inputs_reach_their_sockets(write_graph):
    write_graph("query")
    result = run_graph(load_graph("query"), {"query": "q", "collection": "c", "limit": 1})
    assert [d.id for d in result.outputs["documents"]] == ["c-0"]


@pytest.mark.parametrize("inputs", [{}, {"query": None}])
def test_missing_input_is_named(write_graph, inputs):
    write_graph("query")
    with raises_code("graph_input_wrong", "input 'query'"):
        run_graph(load_graph("query"), inputs)


def test_unknown_input_gets_the_nearest(write_graph):
    write_graph("query")
    with raises_code("graph_input_wrong", "'query'", "'colection'", "'collection'"):
        run_graph(load_graph("query"), {"query": "q", "colection": "c"})


def test_error_of_the_hub_comes_out_as_itself(write_graph):
    with raises_code("query_invalid", "'q'"):
        run_graph(one(write_graph, "Fail"), {"query": "q"})


def test_other_error_names_component_and_type(write_graph, caplog):
    with raises_code("graph_failed", "'one'", "part (Fail): ZeroDivisionError: no luck") as error:
        run_graph(one(write_graph, "Fail", "how: other"), {"query": "q"})
    assert re.search(r"graph_parts\.py:\d+", error.value.remedy)
    assert "Traceback" in caplog.text


def test_warm_up_runs_once_and_off_the_event_loop(write_graph):
    graph = one(write_graph, "Warm")
    graph_parts.WARMED.clear()
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: run_graph(graph, {"query": "q"}), range(4)))
    assert graph_parts.WARMED.count("graph") == 1
    assert graph_parts.WARMED[0] == "graph"  # Haystack calls it again at each run, on its loop
    assert any("warm_up" in r.timings_ms for r in results)
    assert "warm_up" not in run_graph(graph, {"query": "q"}).timings_ms


def test_failed_warm_up_names_the_component(write_graph):
    with raises_code("graph_failed", "part (Warm)", "OSError: no model file"):
        run_graph(one(write_graph, "Warm", "broken: true"), {"query": "q"})


def test_a_warm_up_that_does_not_end_has_a_limit_of_its_own(write_graph, monkeypatch):
    graph = one(write_graph, "Warm")
    graph_parts.WARMED.clear()
    with monkeypatch.context() as patch:
        patch.setattr("khub.server.graphs.run.LOADING_S", 0.01)
        with raises_code("graph_timeout", "'one'", "0.01 s"):
            run_graph(graph, {"query": "q"})
    graph.warm_up()  # waits for what is under way
    assert len(run_graph(graph, {"query": "q"}).outputs["documents"]) == 1


def test_many_threads_and_loops_run_at_once(write_graph):
    graph = one(write_graph, "Find", "delay_s: 0.1, top_k: 1")

    async def some(first: int) -> list[str]:
        results = await asyncio.gather(*[run_graph_async(graph, {"query": f"q{first + i}"}) for i in range(10)])
        return [r.outputs["documents"][0].content for r in results]

    def run(first: int) -> list[str]:
        if first >= 20:
            return asyncio.run(some(first))
        return [run_graph(graph, {"query": f"q{first}"}).outputs["documents"][0].content]

    run_graph(graph, {"query": "first"})
    started = time.perf_counter()
    with ThreadPoolExecutor(16) as pool:
        texts = [text for found in pool.map(run, [*range(10), 20, 30]) for text in found]
    assert texts == [f"q{i} text 0" for i in [*range(10), *range(20, 40)]]
    assert time.perf_counter() - started < 2  # 30 runs of 0.1 s


def test_cancelled_caller_cancels_the_run(write_graph):
    graph = one(write_graph, "Block")
    graph_parts.STARTED.clear()
    graph_parts.RELEASE.clear()

    async def cancel() -> None:
        task = asyncio.create_task(run_graph_async(graph, {"query": "q"}))
        assert await asyncio.to_thread(graph_parts.STARTED.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    try:
        asyncio.run(cancel())
    finally:
        graph_parts.RELEASE.set()


def test_waiting_on_the_loop_of_the_graphs_is_refused(write_graph):
    graph = one(write_graph, "Find")
    from khub.server.graphs.run import _loop_thread

    async def inside():
        return run_graph(graph, {"query": "q"})

    with pytest.raises(RuntimeError, match="await run_graph_async"):
        asyncio.run_coroutine_threadsafe(inside(), _loop_thread()[0]).result(10)


def test_the_place_of_a_cancelled_run_is_taken_until_its_thread_has_ended(write_graph):
    graph = one(write_graph, "Block")
    graph_parts.STARTED.clear()
    graph_parts.RELEASE.clear()

    async def cancel() -> None:
        with counted_among(Places({"query": Share(at_once=1, of_one=1, waiting=1)}), "somebody"):
            task = asyncio.create_task(run_graph_async(graph, {"query": "q"}))
            assert await asyncio.to_thread(graph_parts.STARTED.wait, 10)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            following = asyncio.create_task(take_place("query"))
            done, _ = await asyncio.wait({following}, timeout=0.3)
            assert not done
            graph_parts.RELEASE.set()
            await asyncio.wait_for(following, 10)

    try:
        asyncio.run(cancel())
    finally:
        graph_parts.RELEASE.set()


def test_what_waits_for_a_model_keeps_no_place_of_what_computes():
    kinds = {name: _kind_of_work(load_graph(name)) for name in ("query", "verify", "more/ask", "more/verify_llm")}
    assert kinds["query"] == "query"
    assert kinds["verify"] == "verify"
    assert kinds["more/ask"] == "query with a model"
    assert kinds["more/verify_llm"] == "verify with a model"
    assert set(kinds.values()) <= set(SHARES)
