"""One run of `khub eval pages`: collections, questions, report."""

import time
from collections.abc import Sequence
from pathlib import Path

from eval.bench.machine import machine
from eval.pages.question_set import read_page_set
from eval.pages.report import markdown, result_of
from eval.retrieve.asking import Answers
from eval.retrieve.ranking import load_ranking
from eval.retrieve.run import about, fill, ingest_graph
from eval.run.fingerprints import library_versions
from eval.run.throw_away_collection import ThrowAwayCollection

TOP_K = 20


def measure(folder: Path, graphs: Sequence[str], ingest: str | None, out: Path | None, fresh: bool) -> tuple[str, int]:
    """Measure query graphs on documents with questions and write `pages.json` and `pages.md`.

    :param folder: with `documents/` and `questions.jsonl`.
    :param graphs: names of query graphs.
    :param ingest: graph that makes the collections; None for the one that fits each query graph.
    :param out: where the report goes; None for the folder of the answers.
    :param fresh: do not go on with a run that was stopped.
    :returns: the report in Markdown, and how many questions failed.
    :raises KhubError: naming the line of the set, or the graph, that cannot be used.
    """
    data = read_page_set(folder)
    rankings = [load_ranking(name) for name in dict.fromkeys(graphs)]
    makers = {ranking.name: ingest_graph(ranking, ingest) for ranking in rankings}
    made: dict[str, ThrowAwayCollection] = {}
    for maker in makers.values():
        if maker.name not in made:
            made[maker.name] = fill(data.name, data.documents, maker)
    used = [(ranking.digest, made[makers[ranking.name].name].key) for ranking in rankings]
    answers = Answers("pages", [data.name, data.questions, used, TOP_K], fresh)
    results = []
    for ranking in rankings:
        maker = makers[ranking.name]
        texts = {question.id: question.text for question in data.questions}
        found = answers.ask(f"{data.name}, {ranking.name}", ranking, made[maker.name], texts, TOP_K)
        results.append(result_of(data, ranking, maker.name, found))
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
    return text, sum(len(result["failed"]) for result in results)
