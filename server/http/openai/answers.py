"""The answer to a chat: in a language model's words where there is one, else the passages."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from khub.components.answer import Answer, Degraded
from khub.components.errors import GraphError, KhubError
from khub.server.graphs.load import Graph
from khub.server.http.openai.messages import Talk
from khub.server.http.served_graphs import ServedGraphs, UnknownGraphError
from khub.server.hub import Hub
from khub.server.questions.chat_model import has_model
from khub.server.questions.follow_up import put_to

IN_WORDS, PASSAGES = "more/ask", "query"
NO_TASKS = "The Knowledge Hub answers questions about documents, and does nothing else."
logger = logging.getLogger(__name__)


async def answer_talk(talk: Talk, collection: str | None, graphs: ServedGraphs) -> Answer:
    """Return the hub's answer, with what was `searched`.

    :param collection: None for the one that is asked when none is named.
    :param graphs: that are served.
    :raises KhubError: naming what is wrong with the question or the collection.
    """
    if talk.is_task:
        return Answer(NO_TASKS, abstained=True)
    graph = await asyncio.to_thread(_graph_in_words, graphs)
    return await _answer(talk.questions, collection, graph, graphs)


async def _answer(
    questions: Sequence[str], collection: str | None, graph: Graph | None, graphs: ServedGraphs
) -> Answer:
    degraded = []
    if graph is not None:
        try:
            return await _asked(questions, collection, graph)
        except GraphError as error:
            logger.error("the passages stand in for an answer by graph '%s': %s", graph.name, error)
            degraded = [Degraded("generate", f"graph {graph.name!r} failed, the log says why")]
    passages = await asyncio.to_thread(graphs.usable, PASSAGES)
    answer = await _asked(questions, collection, passages)
    return replace(answer, degraded=[*answer.degraded, *degraded])


async def _asked(questions: Sequence[str], collection: str | None, graph: Graph) -> Answer:
    question, more = await asyncio.to_thread(put_to, graph, questions, collection)
    answer = await Hub(heal=True).ask_async(question, collection, graph, inputs=more)
    return replace(answer, searched=answer.searched or question)


def _graph_in_words(graphs: ServedGraphs) -> Graph | None:
    """Return the graph whose answers a language model writes; None where that is not set up."""
    try:
        graph = graphs.usable(IN_WORDS)
    except UnknownGraphError:
        return None
    except KhubError:
        return None  # it stands in the log
    return graph if has_model(graph) else None
