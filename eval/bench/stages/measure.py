"""Ask the same questions through a graph and through the same graph with replayed stages, by turns."""

import gc
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from components.errors import KhubError
from eval.bench.figures import percentile
from eval.bench.stages.clock import COPYING, StageClock
from eval.bench.stages.graphs import graph_of, replays_of
from server.graphs.load import Graph
from server.graphs.run import run_graph

PERCENTILES = (50, 95)
TOTAL = "total"
TRIES = 100


class Arms:
    """A graph, the same with replayed stages, and the same with a clock at every stage.

    :param name: of the graph.
    :param model: embedder of the questions.
    :param stages: those that are replayed.
    """

    def __init__(self, name: str, model: str, stages: Sequence[str]) -> None:
        self._whole, self._clocked, self._passing = (graph_of(name, model, part) for part in ((), (), stages))
        self._replays = replays_of(self._passing)
        self._clock = StageClock(self._clocked)

    def open(self, question: str, collection: str) -> None:
        """Open the stores, which may take longer than a guard waits."""
        for _ in range(TRIES):
            if not _answer(self._whole, question, collection)["degraded"]:
                break
            time.sleep(1)

    def record(self, question: str, collection: str) -> None:
        """Let the replayed stages see a question for the first time."""
        self._ask_passing(question, collection)

    def ask(self, question: str, collection: str, first: int) -> dict[str, Any]:
        """Ask all three and return the milliseconds of each, and those of the processor; the clocked one by stage.

        :param first: which of them is asked first; the others follow in their order.
        """
        kinds: list[tuple[str, Callable[[str, str], Any]]] = [
            ("whole", self._ask_whole), ("passing", self._ask_passing), ("clocked", self._ask_clocked)
        ]  # fmt: skip
        turn = kinds[first % len(kinds) :] + kinds[: first % len(kinds)]
        return {kind: ask(question, collection) for kind, ask in turn}

    def _ask_whole(self, question: str, collection: str) -> tuple[float, float]:
        return _ms(self._whole, question, collection)

    def _ask_passing(self, question: str, collection: str) -> tuple[float, float]:
        for replay in self._replays:
            replay.question = question
        return _ms(self._passing, question, collection)

    def _ask_clocked(self, question: str, collection: str) -> dict[str, float]:
        self._clock.ms.clear()
        with self._clock.copies():
            total, _ = _ms(self._clocked, question, collection)
        return {**self._clock.ms, TOTAL: total}


def measure(arms: Arms, questions: Sequence[str], collection: str, warm: int) -> dict[str, Any]:
    """Return the figures of the first time that each question is asked, and of the second time.

    :param questions: the first `warm` of them do not count.
    :returns: `first` and `again`, each with `questions`, `whole_ms`, `passing_ms` (each `{p50, p95}`), `own_ms` (the
        median and the 95th percentile of the difference of the two, question by question), `own_processor_ms` (the
        same of the processor's time, which other programs delay less), `p50_difference_ms`,
        `stages_ms` (median of each stage's own work in the run with a clock) and `copies_ms`.
    """
    arms.open(questions[0], collection)
    for question in questions:
        arms.record(question, collection)
    figures = {}
    for round_, start in (("first", 0), ("again", warm)):
        gc.collect()
        asked = [arms.ask(question, collection, place) for place, question in enumerate(questions[start:])]
        figures[round_] = _figures(asked[warm - start :])
    return figures


def _answer(graph: Graph, question: str, collection: str) -> dict[str, Any]:
    answer: dict[str, Any] = run_graph(graph, {"query": question, "collection": collection}).outputs["answer"]
    return answer


def _ms(graph: Graph, question: str, collection: str) -> tuple[float, float]:
    """Return what a question takes, and what all threads of this process work meanwhile."""
    started, worked = time.perf_counter(), time.process_time()
    answer = _answer(graph, question, collection)
    seconds, work = time.perf_counter() - started, time.process_time() - worked
    if answer["degraded"]:
        raise KhubError(f"the search for {question!r} is degraded: {answer['degraded']}", "repair the collection")
    return seconds * 1000, work * 1000


def _figures(asked: Sequence[dict[str, Any]]) -> dict[str, Any]:
    whole, passing = ([times[kind][0] for times in asked] for kind in ("whole", "passing"))
    work = [times["whole"][1] - times["passing"][1] for times in asked]
    stages = {name: _median(times["clocked"].get(name, 0.0) for times in asked) for name in asked[0]["clocked"]}
    return {
        "questions": len(asked),
        "whole_ms": _percentiles(whole),
        "passing_ms": _percentiles(passing),
        "own_ms": _percentiles([a - b for a, b in zip(whole, passing, strict=True)]),
        "own_processor_ms": _percentiles(work),
        "p50_difference_ms": round(percentile(whole, 50) - percentile(passing, 50), 2),
        "copies_ms": stages.pop(COPYING),
        "clocked_ms": stages.pop(TOTAL),
        "stages_ms": stages,
    }


def _percentiles(values: Sequence[float]) -> dict[str, float]:
    return {f"p{percent}": round(percentile(values, percent), 2) for percent in PERCENTILES}


def _median(values: Iterator[float]) -> float:
    return round(statistics.median(values), 2)
