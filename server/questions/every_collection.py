"""A question to all collections that the caller may read, where it names none."""

import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from khub.components.answer import Answer, Degraded
from khub.components.answers.answer_builder import AnswerBuilder
from khub.components.errors import GraphError, KhubError
from khub.components.failure_reason import failure_reason
from khub.server.graphs.load import Graph, load_graph
from khub.server.questions.merged_answer import COLLECTION, merged

BUDGET_S = 20.0
"""A collection whose turn comes later than this is not asked, and the answer says so."""
SEARCHING = "query"
"""The graph whose passages say which collection answers a question best."""
logger = logging.getLogger(__name__)


@dataclass
class EveryCollection:
    """Asks collections one after the other: a question keeps the processor busy, so that all at once were no sooner.

    :param names: of the collections.
    :param query: the question.
    :param graph: whose answers are passages.
    :param top_k: passages to cite; None for the graph's own number.
    :param more: what else the graph is given.
    :param gives_answer: whether what they say is the answer; else it tells which of them a graph is put to that
        answers in words: a language model is asked once.
    """

    names: Sequence[str]
    query: str
    graph: Graph
    top_k: int | None
    more: dict[str, Any]
    gives_answer: bool
    _begun: float = field(default_factory=time.monotonic)
    _answers: dict[str, Answer] = field(default_factory=dict)
    _errors: dict[str, KhubError] = field(default_factory=dict)

    @classmethod
    def of(
        cls, names: Sequence[str], query: str, graph: Graph, top_k: int | None, more: dict[str, Any]
    ) -> "EveryCollection":
        """Return what asks them for a question to a graph.

        :raises GraphError: if they cannot be asked by passages.
        """
        if gives_passages(graph):
            return cls(names, query, graph, top_k, more, True)
        before = more.get("history") or []
        searching = load_graph(SEARCHING)
        if not gives_passages(searching):
            raise GraphError(f"answers of graph {graph.name!r} cannot be put together", "name a collection")
        return cls(names, " ".join([*before[-1:], query]), searching, top_k, {}, False)

    def ask(self, ask_one: Callable[[str], Answer]) -> Answer:
        """Return one answer.

        :param ask_one: asks the collection of that name.
        :raises KhubError: if none could be asked.
        """
        for name in self._in_time():
            try:
                self._answers[name] = ask_one(name)
            except KhubError as error:
                self._note(name, error)
        return self._merged()

    async def ask_async(self, ask_one: Callable[[str], Awaitable[Answer]]) -> Answer:
        """Do what `ask` does without blocking the caller's event loop."""
        for name in self._in_time():
            try:
                self._answers[name] = await ask_one(name)
            except KhubError as error:
                self._note(name, error)
        return self._merged()

    def _in_time(self) -> Iterator[str]:
        for name in self.names:
            if time.monotonic() - self._begun < BUDGET_S:
                yield name
            else:
                self._errors[name] = KhubError(f"it was not asked: {BUDGET_S:g} s were over", "ask it alone")

    def _note(self, name: str, error: KhubError) -> None:
        logger.error("collection %r could not be asked: %s", name, error)
        self._errors[name] = error

    def _merged(self) -> Answer:
        if not self._answers:
            raise next(iter(self._errors.values()))
        failures = [
            Degraded(COLLECTION, f"{name}: {failure_reason(error)}", name) for name, error in self._errors.items()
        ]
        return merged(self._answers, failures, self.query, self.top_k, _last_stage(self.graph))


def gives_passages(graph: Graph) -> bool:
    """Say whether the answers of a graph are passages, of which several can be put together."""
    return isinstance(_last_stage(graph), AnswerBuilder)


def _last_stage(graph: Graph) -> Any:
    stage: Any = graph.pipeline.get_component(graph.outputs.get("answer", "").partition(".")[0])
    return getattr(stage, "component", stage)  # of a guard
