"""What `khub eval pages` measured, as data and as Markdown."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from khub.eval.mean_figure import MeanFigure
from khub.eval.pages.metrics import METRICS, RECALL
from khub.eval.pages.pages_result import PagesResult
from khub.eval.pages.question_set import PageSet, Question
from khub.eval.pages.scopes import ALL, NAMED, SCOPES, scores_of
from khub.eval.retrieve.figures import figure, markdown_table, operation, percent, share
from khub.eval.retrieve.ranked_answer import Places, RankedAnswer
from khub.eval.retrieve.ranking import Ranking, without_ranking

Answers = Mapping[str, RankedAnswer]

NOTES = """\
Percent, with 95 % bootstrap intervals over the questions. **recall@k** is the share of a question's evidence pages that
are the page of one of the first k passages, over the answerable questions with evidence; **hit@10** is the share of the
questions with any evidence page among the first ten passages, documents@10 that of the documents with evidence.
*ranking*: the passages that reach the graph's answer; *as answered*: those that it cites, none when it abstained. Each
question is put to all documents at once and, *the named document*, with a filter that leaves those with its evidence.
Evidence in a document that could not be read counts as not found."""
ABSTAINING = """\
Right: of the questions without an answer, those on which the graph abstained. Wrong: of those with one, likewise."""


def result_of(data: PageSet, ranking: Ranking, ingest: str, answers: Answers, named: Answers | None) -> PagesResult:
    """Return the figures of a graph on a set.

    :param answers: question id -> what `Ranking.ask` returns, over all documents.
    :param named: the same within the named document; None for a graph that takes no filter.
    :returns: `{graph, ingest, source, ranked: {metric: figure}, answered: {metric: figure}, named: {metric: figure} or
        None, named_answered, abstained_right, abstained_wrong, …}` with what `operation` returns.
    """

    def abstained(wanted: Callable[[Question], bool]) -> MeanFigure:
        chosen = [answers[question.id] for question in data.questions if wanted(question)]
        return figure([None if "error" in answer else float(answer["abstained"]) for answer in chosen])

    def measured(found: Answers | None, key: Places) -> dict[str, MeanFigure] | None:
        return None if found is None else _figures(data, found, key)

    return {
        "graph": ranking.name,
        "graph_hash": ranking.digest,
        "ingest": ingest,
        "source": ranking.source,
        **operation(answers),
        "failed_named": [] if named is None else operation(named)["failed"],
        "ranked": measured(answers, "ranked"),
        "answered": measured(answers, "cited"),
        "named": measured(named, "ranked"),
        "named_answered": measured(named, "cited"),
        "abstained_right": abstained(lambda question: not question.answerable),
        "abstained_wrong": abstained(lambda question: question.answerable),
    }


def _figures(data: PageSet, answers: Answers, key: Places) -> dict[str, MeanFigure]:
    """Return metric -> `figure`."""
    places = {question: None if "error" in answer else answer[key] for question, answer in answers.items()}
    return {metric: figure(values) for metric, values in scores_of(data, places).items()}


def markdown(report: Mapping[str, Any]) -> str:
    """Return the report as Markdown."""
    results = report["results"]
    parts = [f"# Pages: {report['name']}", f"{report['machine']}, {report['date']}.", NOTES]
    parts.append(_recall(results))
    parts += ["## Abstention", ABSTAINING, _abstention(results), "## Documents", _documents(report)]
    failed = [
        f"- {made['ingest']}: {failure['source']}: {failure['error']}"
        for made in report["collections"]
        for failure in made["failed"]
    ]
    if failed:
        parts += ["Could not be read:", "\n".join(failed)]
    return "\n\n".join([*parts, *without_ranking(results)]) + "\n"


def _recall(results: Sequence[Mapping[str, Any]]) -> str:
    rows = []
    for scope, keys in ((ALL, ("ranked", "answered")), (NAMED, ("named", "named_answered"))):
        for result in results:
            named = zip(keys, ("ranking", "as answered"), strict=True)
            rows += [_row(result["graph"], scope, name, result[key]) for key, name in named if result[key]]
    return markdown_table(["system", "searched", "passages", "valid/total", *METRICS], 3, rows)


def _row(system: str, scope: str, passages: str, measured: Mapping[str, Any]) -> list[str]:
    return [system, SCOPES[scope], passages, share(measured[RECALL[0]]), *(percent(measured[m]) for m in METRICS)]


def _abstention(results: Sequence[Mapping[str, Any]]) -> str:
    rows = []
    for result in results:
        right, wrong = result["abstained_right"], result["abstained_wrong"]
        about = [f"{result['degraded']:,}", f"{len(result['failed']) + len(result['failed_named']):,}"]
        about.append(f"{result['median_ms']:.0f}" if result["median_ms"] is not None else "–")
        rows.append([result["graph"], percent(right), share(right), percent(wrong), share(wrong), *about])
    columns = ["graph", "right", "valid/total", "wrong", "valid/total", "degraded", "failed", "median ms"]
    return markdown_table(columns, 1, rows)


def _documents(report: Mapping[str, Any]) -> str:
    rows = [
        [
            made["ingest"],
            f"{made['files']:,}",
            f"{len(made['failed']):,}",
            f"{made['titles']:,}",
            f"{made['chunks']:,}",
            f"{made['seconds']:.0f}",
        ]
        for made in report["collections"]
    ]
    columns = ["ingest graph", "documents", "failed", "titles", "chunks", "seconds"]
    return markdown_table(columns, 1, rows)
