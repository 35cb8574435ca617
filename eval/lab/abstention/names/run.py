"""Ask the questions of every collection, and say what became of each."""

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from khub.components.answer import Answer
from khub.components.answers.markdown import WORDS
from khub.components.stores.open_indexes import close_readers
from khub.eval.lab.abstention.names.questions import OF_ALL, Asked, folders_of, read_questions
from khub.eval.machine import machine
from khub.eval.retrieve.ranking import load_ranking
from khub.eval.retrieve.run import fill, ingest_graph
from khub.eval.run.hub_home import hub_home_at
from khub.eval.run.throw_away_collection import NAME, ThrowAwayCollection
from khub.server.commands.progress import progress
from khub.server.graphs.load import Graph
from khub.server.graphs.run import run_graph
from khub.server.questions.given_value import given_value


def measure(graph: str, news: Path | None) -> dict[str, Any]:
    """Ask all questions, those on the documents of the repository of all these together, too.

    :param graph: name of a query graph.
    :param news: see `folders_of`.
    :returns: `rows`, a question and what became of it each (see `_asked`), and what they were measured with.
    :raises KhubError: naming the graph that cannot be used.
    """
    ranking = load_ranking(graph)
    questions = read_questions()
    rows = []
    for name, folder in folders_of(questions, news).items():
        own = [asked for asked in questions if asked.collection == name or (name == OF_ALL and _of_repository(asked))]
        rows += _ask_all(name, own, fill(name, folder, ingest_graph(ranking, None)), ranking.graph)
    load = " ".join(f"{value:.1f}" for value in os.getloadavg()) if hasattr(os, "getloadavg") else ""
    about = {"machine": machine(), "load": load, "date": time.strftime("%Y-%m-%d"), "graph": graph}
    return {**about, "news": news is not None, "rows": rows}


def _of_repository(asked: Asked) -> bool:
    return asked.collection != "news"


def _ask_all(
    name: str, questions: Sequence[Asked], collection: ThrowAwayCollection, graph: Graph
) -> list[dict[str, Any]]:
    rows = []
    with hub_home_at(collection.home), progress(f"{name}, {graph.name}", "questions") as report:
        try:
            for done, asked in enumerate(questions, start=1):
                outputs = run_graph(graph, {"query": asked.question, "collection": NAME}).outputs
                answer = given_value(Answer, graph, "answer", outputs["answer"])
                rows.append({**asked._asdict(), "asked_of": name, **_told(answer, asked)})
                report(done, len(questions), "")
        finally:
            close_readers()
    return rows


def _told(answer: Answer, asked: Asked) -> dict[str, Any]:
    """Return what became of a question.

    :returns: `abstained`, `confidence`, `named` (a name or code that no document holds is told), `unsure` (so is that
        the documents may not answer), `ranked` (ids of the cited chunks), `found` (one is of the right document).
    """
    words = WORDS[asked.language]
    cited = answer.citations
    return {
        "abstained": answer.abstained,
        "confidence": answer.confidence,
        "named": _begins(words["unknown"]) in answer.answer,
        "unsure": _begins(words["unsure"]) in answer.answer,
        "ranked": [citation.chunk_id for citation in cited],
        "found": any(Path(citation.source).stem == Path(asked.source or "").stem for citation in cited),
    }


def _begins(message: str) -> str:
    return message.partition("{")[0].strip()
