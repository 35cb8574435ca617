"""One run of `khub eval retrieve`: collections, questions, report."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from khub.components.catalog.catalog import open_catalog
from khub.components.errors import EvaluationError
from khub.components.home import hub_home
from khub.eval.machine import machine
from khub.eval.retrieve.asking import Answers
from khub.eval.retrieve.collection_about import CollectionAbout
from khub.eval.retrieve.legs import BOTH, Scores, against_legs
from khub.eval.retrieve.passages import RetrievalSet, read_retrieval_set, write_passages
from khub.eval.retrieve.ranking import Ranking, load_ranking
from khub.eval.retrieve.report import markdown, result_of, scores_of
from khub.eval.retrieve.retrieval_result import RetrievalSetResult
from khub.eval.run.fingerprints import digest, graph_hash, library_versions
from khub.eval.run.fitting_ingest import named_ingest
from khub.eval.run.hub_home import hub_home_at
from khub.eval.run.throw_away_collection import ABOUT, NAME, ThrowAwayCollection, throw_away_collection
from khub.eval.sweep.parameter_path import read_settings
from khub.eval.sweep.variants import make_variants
from khub.server.commands.progress import progress
from khub.server.graphs.load import Graph, load_graph
from khub.server.library.ingest import binding_of
from khub.server.library.ingest_result import Progress
from khub.server.terminal import count

TOP_K = 10
VARIED = ", "  # between a graph's name and the values of its parameters


@dataclass(frozen=True)
class Wanted:
    """What is to be measured.

    :param folders: data sets in the format of BEIR.
    :param graphs: names of query graphs.
    :param legs: of `dense`, `sparse` and `both`.
    :param ingest: graph that makes the collections; None for the one that fits each query graph.
    :param with_title: give the passages their titles.
    :param top_k: so many passages are asked for; a graph may look deeper for more.
    :param settings: `COMPONENT.PARAMETER=VALUE,…`: measure the graphs with these values, too; see `read_setting`.
    """

    folders: Sequence[Path]
    graphs: Sequence[str]
    legs: Sequence[str]
    ingest: str | None = None
    with_title: bool = True
    top_k: int = TOP_K
    settings: Sequence[str] = ()


def measure(wanted: Wanted, out: Path | None, fresh: bool) -> tuple[str, int]:
    """Measure query graphs on data sets and write `retrieve.json` and `retrieve.md`.

    :param wanted: the sets, the graphs, and how they are asked.
    :param out: where the report goes; None for the folder of the answers.
    :param fresh: do not go on with a run that was stopped.
    :returns: the report in Markdown, and how many questions failed.
    :raises KhubError: naming the set or the graph that cannot be used.
    """
    sets = [read_retrieval_set(folder, wanted.with_title) for folder in wanted.folders]
    if twins := [data.name for data in sets if [other.name for other in sets].count(data.name) > 1]:
        raise EvaluationError(
            f"two data sets are called {twins[0]!r}", "measure one after the other, or rename a folder"
        )
    rankings = [ranking for name in dict.fromkeys(wanted.graphs) for ranking in rankings_of(name, wanted.settings)]
    makers = {ranking.name: ingest_graph(ranking, wanted.ingest) for ranking in rankings}
    if any(leg != BOTH for leg in wanted.legs):
        for ranking in rankings:
            ranking.check_legs()
    chosen = list(dict.fromkeys(wanted.legs))
    chosen_settings = {"top_k": wanted.top_k, "titles": wanted.with_title}
    used = [(r.digest, graph_hash(makers[r.name]), binding_of(makers[r.name])) for r in rankings]
    answers = Answers("retrieve", [sets, used, chosen, chosen_settings], fresh)
    scores: dict[str, dict[str, dict[str, Scores]]] = {data.name: {} for data in sets}
    measured = [_measure_set(data, rankings, makers, wanted, answers, scores[data.name]) for data in sets]
    about = {"machine": machine(), "date": time.strftime("%Y-%m-%d"), "versions": library_versions()}
    report = {**about, **chosen_settings, "sets": measured, "against_legs": against_legs(scores)}
    text = markdown(report)
    answers.keep_report("retrieve", report, text, out)
    return text, sum(len(result["failed"]) for data in measured for result in data["results"])


def rankings_of(name: str, settings: Sequence[str]) -> list[Ranking]:
    """Return a graph, and it with each combination of other values.

    :param name: of a query graph.
    :param settings: see `Wanted`.
    :raises KhubError: when the graph or a setting cannot be used.
    """
    if not settings:
        return [load_ranking(name)]
    folder = hub_home() / "eval" / "graphs"
    variants = make_variants(load_graph(name), None, read_settings(settings), folder)
    graphs = [(f"{name}{VARIED}{v.label}" if v.values else name, v.query) for v in variants]
    return [replace(load_ranking(str(graph.path)), name=shown) for shown, graph in graphs]


def ingest_graph(ranking: Ranking, name: str | None) -> Graph:
    """Return the ingest graph that makes the collections of a query graph.

    :param name: the one that the caller wants, or None for the one that fits.
    :raises KhubError: as `named_ingest` does.
    """
    return named_ingest(replace(ranking.graph, name=ranking.name.partition(VARIED)[0]), name)


def fill_all(what: str, folder: Path, graphs: Iterable[Graph]) -> dict[str, ThrowAwayCollection]:
    """Return name of an ingest graph -> the throw-away collection of a folder that it has filled."""
    return {name: fill(what, folder, graph) for name, graph in {graph.name: graph for graph in graphs}.items()}


def fill(what: str, folder: Path, graph: Graph) -> ThrowAwayCollection:
    """Return the throw-away collection of a folder, with progress on standard error while it is being made."""
    with progress(f"{what}: ingest through {graph.name}", "files") as report:

        def on_progress(now: Progress) -> None:
            report(now.done, now.total, count(now.chunks, "chunk"))

        made = throw_away_collection(folder, graph, on_progress)
    with hub_home_at(made.home):
        empty = not open_catalog().chunks.count(NAME)
    if empty:
        (made.home / ABOUT).unlink()  # the next call tries again
        reason = f" ({made.failed[0]['source']}: {made.failed[0]['error']})" if made.failed else ""
        raise EvaluationError(f"graph {graph.name!r} could not read any file of {what}{reason}", "name other documents")
    return made


def _measure_set(
    data: RetrievalSet,
    rankings: Sequence[Ranking],
    makers: dict[str, Graph],
    wanted: Wanted,
    answers: Answers,
    scores: dict[str, dict[str, Scores]],
) -> RetrievalSetResult:
    collections = fill_all(data.name, write_passages(data), makers.values())
    results = []
    for ranking in rankings:
        maker = makers[ranking.name]
        for leg in dict.fromkeys(wanted.legs):
            found = answers.ask(
                f"{data.name}, {ranking.name}, {leg}", ranking, collections[maker.name], data.queries, wanted.top_k,
                None if leg == BOTH else [leg],
            )  # fmt: skip
            results.append(result_of(data, ranking, maker.name, leg, found))
            scores.setdefault(ranking.name, {})[leg] = scores_of(data, found)
    return {
        "name": data.name,
        "hash": digest(data),
        "passages": len(data.passages),
        "blank": data.blank,
        "titles": sum(bool(passage.title) for passage in data.passages),
        "queries": len(data.queries),
        "collections": [about(collection) for collection in collections.values()],
        "results": results,
    }


def about(collection: ThrowAwayCollection) -> CollectionAbout:
    """Return what a report says of a collection; `titles` is how many documents the hub gave a title."""
    with hub_home_at(collection.home):
        documents = open_catalog().documents.of_collection(NAME)
        chunks = open_catalog().chunks.count(NAME)
    return {
        "key": collection.key,
        "ingest": collection.ingest,
        "model": collection.model,
        "files": collection.files,
        "chunks": chunks,
        "titles": sum(bool(document["title"]) for document in documents),
        "failed": collection.failed,
        "seconds": collection.seconds,
    }
