"""Two graphs side by side: what each finds for a question, and where."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import fmean, median
from typing import Any

from khub.components.answer import Answer, Citation
from khub.components.errors import GraphKindError, KhubError
from khub.server.graphs.load import load_graph
from khub.server.questions.ask import ask
from khub.server.questions.comparison import (
    ComparedResult,
    ComparedRun,
    Comparison,
    Comparisons,
    ComparisonTotal,
    FailedQuestion,
    GraphTotal,
)
from khub.server.questions.rank_overlap import overlap_at, rank_biased_overlap

DEPTH = 10


def compare(
    query: str,
    graphs: tuple[str, str],
    collection: str | None = None,
    top_k: int = DEPTH,
    filters: dict[str, Any] | None = None,
) -> Comparison:
    """Ask two graphs one question, each once before, so that no time holds the loading of models and indexes.

    :param query: the question.
    :param graphs: names of two graphs of kind `query`.
    :param collection: its name; None as `ask` takes it.
    :param top_k: results of each that are compared; those that a graph itself gives where it has no such input.
    :param filters: a Haystack metadata filter.
    :raises KhubError: naming what is wrong with the question, the collection, the filter or a graph.
    """
    _warm_up(query, graphs, collection, top_k, filters)
    return _compared(query, graphs, collection, top_k, filters)


def _compared(
    query: str, graphs: tuple[str, str], collection: str | None, top_k: int, filters: dict[str, Any] | None
) -> Comparison:
    return compared(query, [_answer(query, name, collection, top_k, filters) for name in graphs], top_k)


def compared(query: str, answers: Sequence[Answer], top_k: int = DEPTH) -> Comparison:
    """Compare two answers to one question.

    :param answers: with `top_k` citations at most.
    """
    rankings = [[citation.chunk_id for citation in answer.citations] for answer in answers]
    cited = {c.chunk_id: c for answer in reversed(answers) for c in answer.citations}
    ranks = {i: [ranking.index(i) + 1 if i in ranking else None for ranking in rankings] for i in cited}
    results = [_result(cited[i], ranks[i]) for i in sorted(ranks, key=lambda i: _order(ranks[i]))]
    return Comparison(
        query=query,
        collection=answers[0].collection,
        graphs=[_run(answer) for answer in answers],
        results=results,
        only=[[i for i in ranking if i not in other] for ranking, other in (rankings, rankings[::-1])],
        moved=sum(bool(result.moved) for result in results),
        top_k=top_k,
        overlap=round(overlap_at(rankings[0], rankings[1], top_k), 4),
        rbo=round(rank_biased_overlap(rankings[0], rankings[1]), 4),
    )


def compare_all(
    queries: Sequence[str],
    graphs: tuple[str, str],
    collection: str | None = None,
    top_k: int = DEPTH,
    filters: dict[str, Any] | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Comparisons:
    """Ask two graphs many questions, the first one once before, so that no time holds the loading.

    :param queries: the questions.
    :param graphs: as for `compare`.
    :param collection: as for `compare`.
    :param top_k: as for `compare`.
    :param filters: as for `compare`.
    :param on_progress: called with the number of questions that are done.
    :raises KhubError: when a graph cannot be used at all.
    """
    for name in graphs:
        _query_graph(name)
    found: list[Comparison | FailedQuestion] = []
    for query in queries:
        try:
            if all(isinstance(entry, FailedQuestion) for entry in found):
                _warm_up(query, graphs, collection, top_k, filters)
            found.append(_compared(query, graphs, collection, top_k, filters))
        except KhubError as error:
            found.append(FailedQuestion(query, str(error)))
        if on_progress:
            on_progress(len(found))
    return Comparisons(found, _summary(found))


def _query_graph(name: str) -> Any:
    graph = load_graph(name)
    if graph.kind != "query":
        raise GraphKindError(f"graph {name!r} is of kind {graph.kind!r}", "name a graph of kind 'query'")
    return graph


def _answer(query: str, graph_name: str, collection: str | None, top_k: int, filters: dict[str, Any] | None) -> Answer:
    wanted = top_k if "top_k" in _query_graph(graph_name).inputs else None
    answer = ask(query, collection, graph_name, wanted, filters)
    return replace(answer, citations=answer.citations[:top_k])


def _warm_up(
    query: str, graphs: tuple[str, str], collection: str | None, top_k: int, filters: dict[str, Any] | None
) -> None:
    for name in dict.fromkeys(graphs):
        _answer(query, name, collection, top_k, filters)


def _order(ranks: Sequence[int | None]) -> list[float]:
    places = [float("inf") if rank is None else rank for rank in ranks]
    return [min(places), *places]


def _result(cited: Citation, ranks: list[int | None]) -> ComparedResult:
    first, second = ranks
    return ComparedResult(
        chunk_id=cited.chunk_id,
        title=cited.title,
        section=cited.section,
        source=cited.source,
        page=cited.page,
        text=cited.text,
        evidence=cited.evidence,
        ranks=ranks,
        moved=None if first is None or second is None else first - second,
        time_mark=cited.time_mark,
    )


def _run(answer: Answer) -> ComparedRun:
    return ComparedRun(
        answer.graph,
        answer.abstained,
        answer.confidence,
        answer.degraded,
        answer.timings_ms,
        answer.trace_id,
        len(answer.citations),
    )


def _summary(found: Sequence[Comparison | FailedQuestion]) -> ComparisonTotal:
    compared = [entry for entry in found if isinstance(entry, Comparison)]
    return ComparisonTotal(
        questions=len(found),
        failed=len(found) - len(compared),
        same=sum(not entry.moved and not any(entry.only) for entry in compared),
        first_differs=sum(bool(entry.results) and entry.results[0].ranks != [1, 1] for entry in compared),
        overlap=round(fmean(entry.overlap for entry in compared), 4) if compared else None,
        rbo=round(fmean(entry.rbo for entry in compared), 4) if compared else None,
        graphs=[_of_graph([entry.graphs[place] for entry in compared]) for place in (0, 1)] if compared else None,
    )


def _of_graph(runs: Sequence[ComparedRun]) -> GraphTotal:
    return GraphTotal(
        graph=runs[0].graph,
        median_ms=round(median(run.milliseconds() for run in runs), 1),
        abstained=sum(run.abstained for run in runs),
        degraded=sum(bool(run.degraded) for run in runs),
    )
