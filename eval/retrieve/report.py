"""What `khub eval retrieve` measured, as data and as Markdown."""

from collections.abc import Mapping, Sequence
from typing import Any

from khub.eval.mean_figure import MeanFigure
from khub.eval.retrieve.figures import figure, markdown_table, operation, percent, share
from khub.eval.retrieve.metrics import METRICS, measures_of
from khub.eval.retrieve.passages import RetrievalSet
from khub.eval.retrieve.ranked_answer import Places, RankedAnswer
from khub.eval.retrieve.ranking import Ranking, without_ranking
from khub.eval.retrieve.retrieval_result import RetrievalResult

LABELS = {"ndcg@10": "nDCG@10", "recall@10": "recall@10", "recall@100": "recall@100", "mrr@10": "MRR@10"}
NOTES = """\
Percent, with 95 % bootstrap intervals over the questions. Every question goes through the graph as any other call
does. The figures are those of the **ranking that reaches the graph's answer**: each passage of the set is one document,
and of a passage that was split its best chunk counts. *As answered* counts what the graph shows, so that a question on
which it abstained is a miss. *Deepest* is the longest ranking that the graph gave, in chunks; recall@100 is recall at
that depth where it is below 100."""

LEGS_NOTES = """\
nDCG@10 of the ranking by both legs, and by the better one of them alone; p of a paired permutation test over the
questions. The mean counts every set alike, and of each set its better leg."""


def result_of(
    data: RetrievalSet, ranking: Ranking, ingest: str, legs: str, answers: Mapping[str, RankedAnswer]
) -> RetrievalResult:
    """Return the figures of a graph with some legs on a set.

    :param answers: query id -> what `Ranking.ask` returns.
    :returns: `{graph, ingest, legs, source, ranked: {metric: figure}, answered: {metric: figure}, …}` with what
        `operation` returns.
    """
    return {
        "graph": ranking.name,
        "graph_hash": ranking.digest,
        "ingest": ingest,
        "legs": legs,
        "source": ranking.source,
        **operation(answers),
        "ranked": _measured(data, answers, "ranked"),
        "answered": _measured(data, answers, "cited"),
    }


def markdown(report: Mapping[str, Any]) -> str:
    """Return the report as Markdown."""
    parts = ["# Retrieval", f"{report['machine']}, {report['date']}; asked for {report['top_k']} passages.", NOTES]
    parts.append(_quality(report["sets"]))
    if report["against_legs"]:
        parts += ["## Both legs against the better one", LEGS_NOTES, _against_legs(report["against_legs"])]
    parts += ["## As answered", _answered(report["sets"]), "## Sets", _sets(report["sets"])]
    every = [result for data in report["sets"] for result in data["results"]]
    return "\n\n".join([*parts, *without_ranking(every)]) + "\n"


def _measured(data: RetrievalSet, answers: Mapping[str, RankedAnswer], key: Places) -> dict[str, MeanFigure]:
    scores = _every_score(data, answers, key)
    return {name: figure([None if score is None else score[name] for score in scores]) for name in METRICS}


def scores_of(data: RetrievalSet, answers: Mapping[str, RankedAnswer]) -> list[float | None]:
    """Return the nDCG@10 of the ranking for each question, in the order of the set; None where it failed."""
    return [None if score is None else score["ndcg@10"] for score in _every_score(data, answers, "ranked")]


def _every_score(data: RetrievalSet, answers: Mapping[str, RankedAnswer], key: Places) -> list[dict[str, float] | None]:
    scores: list[dict[str, float] | None] = []
    for query, gains in data.gains.items():
        answer = answers[query]
        found = None if "error" in answer else [data.passage_of(source) for source, _ in answer[key]]
        scores.append(None if found is None else measures_of(found, gains))
    return scores


def _quality(sets: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        [data["name"], result["graph"], result["legs"], share(result["ranked"]["ndcg@10"])]
        + [percent(result["ranked"][name]) for name in METRICS]
        + [str(result["deepest"])]
        for data in sets
        for result in data["results"]
    ]
    columns = ["set", "graph", "legs", "valid/total", *(LABELS[name] for name in METRICS), "deepest"]
    return markdown_table(columns, 3, rows)


def _against_legs(rows: Sequence[Mapping[str, Any]]) -> str:
    cells = []
    for row in rows:
        name, difference = row["set"] or "**mean**", row["both"] - row["alone"]
        figures = [f"{100 * row['alone']:.1f}", f"{100 * row['both']:.1f}", f"{100 * difference:+.1f}"]
        cells.append([row["graph"], name, row["better"], *figures, f"{row['p']:.4f}"])
    return markdown_table(["graph", "set", "better leg", "alone", "both", "difference", "p"], 3, cells)


def _answered(sets: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        [data["name"], result["graph"], result["legs"]]
        + [percent(result["answered"][name]) for name in ("ndcg@10", "recall@10", "mrr@10")]
        + [f"{result['abstained']:,}", f"{result['degraded']:,}", f"{len(result['failed']):,}"]
        + [f"{result['median_ms']:.0f}" if result["median_ms"] is not None else "–"]
        for data in sets
        for result in data["results"]
    ]
    columns = ["set", "graph", "legs", "nDCG@10", "recall@10", "MRR@10", "abstained", "degraded", "failed", "median ms"]
    return markdown_table(columns, 3, rows)


def _sets(sets: Sequence[Mapping[str, Any]]) -> str:
    rows = []
    for data in sets:
        for made in data["collections"]:
            counts = [data["passages"], data["blank"], len(made["failed"]), made["chunks"]]
            titles = f"{made['titles']:,}/{data['titles']:,}"
            row = [data["name"], made["ingest"], *(f"{number:,}" for number in counts), titles]
            rows.append([*row, f"{data['queries']:,}"])
    columns = ["set", "ingest graph", "passages", "without text", "failed", "chunks", "titles kept", "questions"]
    return markdown_table(columns, 2, rows)
