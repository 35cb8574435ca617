"""What `khub eval pages` measured, as data and as Markdown."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from eval.pages.metrics import METRICS, RECALL
from eval.pages.question_set import PageSet, Question
from eval.pages.scopes import ALL, NAMED, SCOPES, Scores, scores_of
from eval.retrieve.figures import figure, markdown_table, operation, percent, share
from eval.retrieve.ranking import CITATIONS, Ranking

Answers = Mapping[str, dict[str, Any]]

NOTES = """\
Percent, with 95 % bootstrap intervals over the questions. **recall@k** is the share of a question's evidence pages that
are the page of one of the first k passages, over the answerable questions with evidence; **hit@10** is the share of the
questions with any evidence page among the first ten passages, documents@10 that of the documents with evidence.
*ranking*: the passages that reach the graph's answer; *as answered*: those that it cites, none when it abstained. Each
question is put to all documents at once and, *the named document*, with a filter that leaves those with its evidence.
Evidence in a document that could not be read counts as not found."""
BASELINES = """\
The baselines have each page of the PDFs as MarkItDown converts it with its own engine, chunks of 800 characters with
150 of overlap, BM25 over lower-cased words (Chinese cut by jieba), all-MiniLM-L6-v2 over the same chunks (in bfloat16),
and the reciprocal rank fusion of both. They are told where a page ends; no chunk of theirs crosses one."""
AHEAD = """\
Points by which a graph's ranking is ahead of a baseline, with the 95 % bootstrap interval of the difference between the
two on the same question, and p of a paired permutation test."""
ABSTAINING = """\
Right: of the questions without an answer, those on which the graph abstained. Wrong: of those with one, likewise."""


def result_of(
    data: PageSet, ranking: Ranking, ingest: str, answers: Answers, named: Answers | None
) -> tuple[dict[str, Any], dict[str, Scores]]:
    """Return the figures of a graph on a set.

    :param answers: question id -> what `Ranking.ask` returns, over all documents.
    :param named: the same within the named document; None for a graph that takes no filter.
    :returns: `{graph, ingest, source, ranked: {metric: figure}, answered: {metric: figure}, named: {metric: figure} or
        None, named_answered, abstained_right, abstained_wrong, …}` with what `operation` returns; and the `scores_of`
        its ranking in each scope.
    """

    def abstained(wanted: Callable[[Question], bool]) -> dict[str, Any]:
        chosen = [answers[question.id] for question in data.questions if wanted(question)]
        return figure([None if "error" in answer else float(answer["abstained"]) for answer in chosen])

    scores = {ALL: scores_of(data, _places(answers, "ranked"))}
    if named is not None:
        scores[NAMED] = scores_of(data, _places(named, "ranked"))
    about = {"graph": ranking.name, "graph_hash": ranking.digest, "ingest": ingest, "source": ranking.source}
    return {
        **about,
        **operation(answers),
        "failed_named": [] if named is None else operation(named)["failed"],
        "ranked": figures(scores[ALL]),
        "answered": figures(scores_of(data, _places(answers, "cited"))),
        "named": None if named is None else figures(scores[NAMED]),
        "named_answered": None if named is None else figures(scores_of(data, _places(named, "cited"))),
        "abstained_right": abstained(lambda question: not question.answerable),
        "abstained_wrong": abstained(lambda question: question.answerable),
    }, scores


def figures(scores: Scores) -> dict[str, Any]:
    """Return metric -> `figure`."""
    return {metric: figure(values) for metric, values in scores.items()}


def markdown(report: Mapping[str, Any]) -> str:
    """Return the report as Markdown."""
    results = report["results"]
    parts = [f"# Pages: {report['name']}", f"{report['machine']}, {report['date']}.", NOTES]
    if report["baselines"]:
        parts.append(BASELINES)
    parts.append(_recall(results, report["baselines"]))
    if report["ahead"]:
        parts += ["## Ahead of the baselines", AHEAD, _ahead(report["ahead"])]
    parts += ["## Abstention", ABSTAINING, _abstention(results), "## Documents", _documents(report)]
    failed = [
        f"- {made['ingest']}: {failure['source']}: {failure['error']}"
        for made in report["collections"]
        for failure in made["failed"]
    ]
    failed += [f"- MarkItDown: {failure['source']}: {failure['error']}" for failure in report["unconverted"]]
    if failed:
        parts += ["Could not be read:", "\n".join(failed)]
    if held := [result["graph"] for result in results if result["source"] == CITATIONS]:
        parts.append(
            f"No single list of documents reaches the answer of {', '.join(held)}: there, the ranking is what was "
            "cited, and abstaining hides it."
        )
    return "\n\n".join(parts) + "\n"


def _places(answers: Answers, key: str) -> dict[str, Sequence[Any] | None]:
    return {question: None if "error" in answer else answer[key] for question, answer in answers.items()}


def _recall(results: Sequence[Mapping[str, Any]], baselines: Sequence[Mapping[str, Any]]) -> str:
    rows = []
    for scope, keys in ((ALL, ("ranked", "answered")), (NAMED, ("named", "named_answered"))):
        for result in results:
            named = zip(keys, ("ranking", "as answered"), strict=True)
            rows += [_row(result["graph"], scope, name, result[key]) for key, name in named if result[key]]
        rows += [_row(baseline["name"], scope, "ranking", baseline[scope]) for baseline in baselines]
    return markdown_table(["system", "searched", "passages", "valid/total", *METRICS], 3, rows)


def _row(system: str, scope: str, passages: str, measured: Mapping[str, Any]) -> list[str]:
    return [system, SCOPES[scope], passages, share(measured[RECALL[0]]), *(percent(measured[m]) for m in METRICS)]


def _ahead(rows: Sequence[Mapping[str, Any]]) -> str:
    cells = []
    for row in rows:
        low, high = (f"{100 * row[end]:+.1f}" for end in ("low", "high"))
        difference = f"{100 * row['mean']:+.1f} [{low} to {high}]"
        cells.append(
            [row["graph"], row["baseline"], SCOPES[row["scope"]], row["metric"], difference, f"{row['p']:.4f}"]
        )
    return markdown_table(["graph", "baseline", "searched", "metric", "points ahead", "p"], 4, cells)


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
