"""One run of `khub eval pages`: collections, questions, report."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from khub.eval.machine import machine
from khub.eval.pages.metrics import applies_to
from khub.eval.pages.pages_result import PagesResult
from khub.eval.pages.question_set import PageSet, read_page_set
from khub.eval.pages.report import markdown, result_of
from khub.eval.pages.scopes import filters_of
from khub.eval.retrieve.asking import Answers
from khub.eval.retrieve.ranking import Ranking
from khub.eval.retrieve.run import about, fill_all, ingest_graph, rankings_of
from khub.eval.run.fingerprints import library_versions
from khub.eval.run.throw_away_collection import ThrowAwayCollection
from khub.server.terminal import tell

TOP_K = 20


@dataclass(frozen=True)
class Wanted:
    """What is to be measured.

    :param folder: with `documents/` and `questions.jsonl`.
    :param graphs: names of query graphs.
    :param ingest: graph that makes the collections; None for the one that fits each query graph.
    :param settings: `COMPONENT.PARAMETER=VALUE,…`: measure the graphs with these values, too; see `read_setting`.
    """

    folder: Path
    graphs: Sequence[str]
    ingest: str | None = None
    settings: Sequence[str] = ()


def measure(wanted: Wanted, out: Path | None, fresh: bool) -> tuple[str, int]:
    """Measure query graphs on documents with questions and write `pages.json` and `pages.md`.

    :param wanted: the documents and the systems.
    :param out: where the report goes; None for the folder of the answers.
    :param fresh: do not go on with a run that was stopped.
    :returns: the report in Markdown, and how many questions failed.
    :raises KhubError: naming the line of the set, or the graph, that cannot be used.
    """
    data = read_page_set(wanted.folder)
    names = dict.fromkeys(wanted.graphs)
    rankings = [ranking for name in names for ranking in rankings_of(name, wanted.settings)]
    makers = {ranking.name: ingest_graph(ranking, wanted.ingest) for ranking in rankings}
    made = fill_all(data.name, data.documents, makers.values())
    used = [(ranking.digest, made[makers[ranking.name].name].key) for ranking in rankings]
    answers = Answers("pages", [data.name, data.questions, used, TOP_K], fresh)
    results = [_measured(data, ranking, made[makers[ranking.name].name], answers) for ranking in rankings]
    report = {
        "name": data.name,
        "machine": machine(),
        "date": time.strftime("%Y-%m-%d"),
        "versions": library_versions(),
        "top_k": TOP_K,
        "questions": len(data.questions),
        "collections": [about(collection) for collection in made.values()],
        "results": results,
    }
    text = markdown(report)
    answers.keep_report("pages", report, text, out)
    return text, sum(len(result["failed"]) + len(result["failed_named"]) for result in results)


def _measured(data: PageSet, ranking: Ranking, made: ThrowAwayCollection, answers: Answers) -> PagesResult:
    texts = {question.id: question.text for question in data.questions}
    found = answers.ask(f"{data.name}, {ranking.name}", ranking, made, texts, TOP_K)
    if "filters" not in ranking.graph.inputs:
        tell(f"graph {ranking.name!r} takes no filter", "it is asked over all documents only")
        return result_of(data, ranking, made.ingest, found, None)
    asked = [question for question in data.questions if applies_to(question)]
    filters = filters_of(asked, made.documents)
    texts = {question.id: question.text for question in asked}
    what = f"{data.name}, {ranking.name}, within the named document"
    named = answers.ask(what, ranking, made, texts, TOP_K, filters=filters)
    return result_of(data, ranking, made.ingest, found, named)
