"""What `khub eval pages` measured, as data and as Markdown."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from eval.pages.metrics import DOCUMENTS, METRICS, RECALL, applies_to, measures_of
from eval.pages.question_set import PageSet, Question
from eval.retrieve.figures import figure, markdown_table, operation, percent, share
from eval.retrieve.ranking import CITATIONS, Ranking

NOTES = """\
Percent, with 95 % bootstrap intervals over the questions. **recall@k** is the share of a question's evidence pages that
are the page of one of the first k passages, over the answerable questions with evidence. *ranking*: the passages that
reach the graph's answer; *as answered*: those that it cites, none when it abstained. documents@10 is the same for
documents, among the first ten passages. The questions are put to all documents at once. Evidence in a document that
could not be read counts as not found."""
ABSTAINING = """\
Right: of the questions without an answer, those on which the graph abstained. Wrong: of those with one, likewise."""


def result_of(data: PageSet, ranking: Ranking, ingest: str, answers: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the figures of a graph on a set.

    :param answers: question id -> what `Ranking.ask` returns.
    :returns: `{graph, ingest, source, ranked: {metric: figure}, answered: {metric: figure}, abstained_right,
        abstained_wrong, …}` with what `operation` returns.
    """

    def measured(key: str) -> dict[str, Any]:
        asked = [question for question in data.questions if applies_to(question)]
        scores = [None if "error" in answers[q.id] else measures_of(q, answers[q.id][key]) for q in asked]
        return {name: figure([None if score is None else score[name] for score in scores]) for name in METRICS}

    def abstained(wanted: Callable[[Question], bool]) -> dict[str, Any]:
        chosen = [answers[question.id] for question in data.questions if wanted(question)]
        return figure([None if "error" in answer else float(answer["abstained"]) for answer in chosen])

    about = {"graph": ranking.name, "graph_hash": ranking.digest, "ingest": ingest, "source": ranking.source}
    return {
        **about,
        **operation(answers),
        "ranked": measured("ranked"),
        "answered": measured("cited"),
        "abstained_right": abstained(lambda question: not question.answerable),
        "abstained_wrong": abstained(lambda question: question.answerable),
    }


def markdown(report: Mapping[str, Any]) -> str:
    """Return the report as Markdown."""
    results = report["results"]
    parts = [f"# Pages: {report['name']}", f"{report['machine']}, {report['date']}.", NOTES, _recall(results)]
    parts += ["## Abstention", ABSTAINING, _abstention(results), "## Documents", _documents(report["collections"])]
    failed = [
        f"- {made['ingest']}: {failure['source']}: {failure['error']}"
        for made in report["collections"]
        for failure in made["failed"]
    ]
    if failed:
        parts += ["Could not be read:", "\n".join(failed)]
    if held := [result["graph"] for result in results if result["source"] == CITATIONS]:
        parts.append(
            f"No single list of documents reaches the answer of {', '.join(held)}: there, the ranking is what was "
            "cited, and abstaining hides it."
        )
    return "\n\n".join(parts) + "\n"


def _recall(results: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        [result["graph"], name, share(result[key][RECALL[0]]), *(percent(result[key][metric]) for metric in METRICS)]
        for result in results
        for key, name in (("ranked", "ranking"), ("answered", "as answered"))
    ]
    return markdown_table(["graph", "passages", "valid/total", *RECALL, DOCUMENTS], 2, rows)


def _abstention(results: Sequence[Mapping[str, Any]]) -> str:
    rows = []
    for result in results:
        right, wrong = result["abstained_right"], result["abstained_wrong"]
        about = [f"{result['degraded']:,}", f"{len(result['failed']):,}"]
        about.append(f"{result['median_ms']:.0f}" if result["median_ms"] is not None else "–")
        rows.append([result["graph"], percent(right), share(right), percent(wrong), share(wrong), *about])
    columns = ["graph", "right", "valid/total", "wrong", "valid/total", "degraded", "failed", "median ms"]
    return markdown_table(columns, 1, rows)


def _documents(collections: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        [
            made["ingest"],
            f"{made['files']:,}",
            f"{len(made['failed']):,}",
            f"{made['chunks']:,}",
            f"{made['seconds']:.0f}",
        ]
        for made in collections
    ]
    return markdown_table(["ingest graph", "documents", "failed", "chunks", "seconds"], 1, rows)
