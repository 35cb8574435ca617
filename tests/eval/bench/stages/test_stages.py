"""What the hub's own stages cost: the graph as it is, beside one whose stages only repeat themselves."""

import asyncio
import time
from typing import Any

import pytest
from haystack import Document, component
from haystack.core.component.types import Variadic

from components.catalog.collections import DEFAULT_COLLECTION
from components.errors import GraphError
from components.question import Question
from eval.bench.stages.clock import StageClock
from eval.bench.stages.collection import MODEL, questions, use_collection
from eval.bench.stages.graphs import graph_of, own_stages, replays_of
from eval.bench.stages.measure import Arms, measure
from eval.bench.stages.replay import Replay
from eval.bench.stages.report import write_report
from server.graphs.run import run_graph

STAGES = ["analyze", "rank", "rerank", "answer"]


@component
class Counting:
    def __init__(self) -> None:
        self.runs = 0

    @component.output_types(documents=list[Document], number=int)
    def run(self, query: str, more: Variadic[list[dict]] = ()) -> dict[str, Any]:
        self.runs += 1
        return {"documents": [Document(content=query)], "number": self.runs}


@pytest.mark.unit
def test_a_replay_runs_its_component_once_for_each_question() -> None:
    replay = Replay(Counting())
    replay.question = "one"
    first = replay.run(query="one")
    assert replay.run(query="whatever") == first
    replay.question = "two"
    assert replay.run(query="two")["number"] == 2
    replay.question = "one"
    assert replay.run(query="one") == first
    assert replay.component.runs == 2


@pytest.mark.unit
def test_a_replay_has_the_sockets_of_its_component() -> None:
    replay, counting = Replay(Counting()), Counting()
    for sockets in ("__haystack_input__", "__haystack_output__"):
        mine, theirs = (getattr(instance, sockets)._sockets_dict for instance in (replay, counting))
        assert {name: socket.type for name, socket in mine.items()} == {n: s.type for n, s in theirs.items()}
    assert replay.__haystack_input__._sockets_dict["more"].is_variadic


@pytest.mark.unit
def test_all_stages_but_those_of_haystack_and_the_named_ones_are_the_hubs_own() -> None:
    assert set(STAGES) <= set(own_stages("query"))
    assert not {"dense", "sparse", "join"} & set(own_stages("query"))
    assert "rank" not in own_stages("query", ["dense", "sparse", "rank"])
    with pytest.raises(GraphError, match="no stage 'dens'"):
        own_stages("query", ["dens"])


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KHUB_HOME", "")  # is put back afterwards
        work = tmp_path_factory.mktemp("stages")
        yield work, use_collection(work, 40)


@pytest.mark.integration
def test_a_collection_is_made_once(collection: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    work, chunks = collection
    monkeypatch.setattr("eval.bench.stages.collection.ingest", lambda *_, **__: pytest.fail("made again"))
    assert use_collection(work, 40) == chunks
    assert 20 < chunks < 80
    asked = questions(20)
    assert len(set(asked)) == 20
    assert sum(question.isascii() for question in asked) == 10


@pytest.mark.integration
def test_the_answer_with_replayed_stages_is_the_same(collection: Any) -> None:
    use_collection(collection[0], 40)
    [question] = questions(1)
    whole, passing = graph_of("query", MODEL), graph_of("query", MODEL, STAGES)
    expected = run_graph(whole, {"query": question, "collection": DEFAULT_COLLECTION}).outputs
    for _ in range(2):
        assert run_graph(passing, {"query": question, "collection": DEFAULT_COLLECTION}).outputs == expected
    assert len(replays_of(passing)) == len(STAGES)


@pytest.mark.integration
def test_the_difference_is_what_the_stages_take(collection: Any, tmp_path: Any) -> None:
    use_collection(collection[0], 40)
    stages = own_stages("query")
    found = measure(Arms("query", MODEL, stages), questions(6), DEFAULT_COLLECTION, warm=2)
    for round_ in ("first", "again"):
        assert found[round_]["questions"] == 4
        assert found[round_]["whole_ms"]["p50"] > found[round_]["stages_ms"]["answer"] > 0
        assert {*stages, "dense", "sparse", "join"} == set(found[round_]["stages_ms"])
        assert found[round_]["copies_ms"] > 0
    about = {"graph": "query", "chunks": collection[1], "model": MODEL, "replayed": stages, "machine": "m", "load": ""}
    text = write_report(tmp_path, {**about, "date": "d", **found})
    assert f"| for the first time | 4 | {found['first']['whole_ms']['p50']} |" in text
    assert (tmp_path / "stages.md").read_text(encoding="utf-8") == text


@pytest.mark.unit
def test_work_that_a_stage_does_by_calling_itself_counts_once() -> None:
    graph = graph_of("query", MODEL)
    clock = StageClock(graph)
    guarded: Any = graph.pipeline.get_component("analyze")

    async def ask() -> float:
        started = time.perf_counter()
        for _ in range(50):
            await guarded.run_async(question=Question("herons", text="Where do herons nest?"))
        return (time.perf_counter() - started) * 1000

    elapsed = asyncio.run(ask())

    assert 0 < clock.ms["analyze"] < elapsed
