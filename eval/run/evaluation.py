"""One evaluation from questions to report: fill collections, ask, judge, put together."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from khub.components.embedders.embedder_identity import describe
from khub.components.errors import GraphKindError
from khub.components.model_servers.token_limit import one_run
from khub.eval.cases import Case
from khub.eval.machine import machine
from khub.eval.run.asked_collection import AskedCollection
from khub.eval.run.asking import Answers, ask_all
from khub.eval.run.comparison import Columns, columns_of, compare, earlier_columns
from khub.eval.run.figures import figures
from khub.eval.run.fingerprints import code_hash, digest, documents_in, graph_hash, library_versions
from khub.eval.run.fitting_ingest import named_ingest
from khub.eval.run.golden_set import GoldenSet, refuse_unknown_sources
from khub.eval.run.graph_report import GraphAbout, GraphReport
from khub.eval.run.kept_answer import KeptAnswer
from khub.eval.run.own_collection import about_filling, documents_of, own_collection
from khub.eval.run.run_folder import RunFolder, open_run
from khub.eval.run.run_report import RunReport
from khub.eval.run.scoring import Scores, evaluation_graph, score
from khub.eval.run.throw_away_collection import throw_away_collection
from khub.eval.run.worst import worst_questions
from khub.server.commands.progress import Report
from khub.server.graphs.load import Graph, load_graph, shown_path
from khub.server.library.ingest import binding_of
from khub.server.library.ingest_result import Progress

DEFAULT_EVALUATION = "evaluate"
ALL = 1_000_000
JUDGED_AT_A_TIME = 10
"""A judge may take seconds a case, and be stopped: what it has said of so many cases is kept."""

Shown = Callable[[str, str], AbstractContextManager[Report]]
"""Shows the progress of what, counted in which unit; see `khub.server.commands.progress.progress`."""


@dataclass(frozen=True)
class Plan:
    """What is to be evaluated.

    :param sets: golden sets.
    :param documents: the folder that they were written from.
    :param graphs: names of query graphs.
    :param ingest: ingest graph of all of them; None for the one that fits each.
    :param judge: graph of kind `evaluate` to judge with; None for the one without a language model.
    :param compared: pairs of graphs, or of a graph and an earlier report.
    :param top_k: citations asked for.
    :param collection: one of the hub's own, asked as it is; None for one that is filled from the documents.
    """

    sets: Sequence[GoldenSet]
    documents: Path
    graphs: Sequence[str]
    ingest: str | None = None
    judge: str | None = None
    compared: Sequence[tuple[str, str]] = ()
    top_k: int = 10
    collection: str | None = None

    @property
    def cases(self) -> list[Case]:
        """All cases, in the order of the sets."""
        return [case for one in self.sets for case in one.cases]


@one_run()
def evaluate(plan: Plan, resume: bool | None, shown: Shown) -> tuple[RunFolder, RunReport]:
    """Run an evaluation, or go on with the one that was stopped.

    :param resume: see `khub.eval.run.run_folder.open_run`.
    :param shown: shows progress.
    :returns: the run's folder, and the report.
    :raises KhubError: naming what is wrong with the sets, the documents or a graph; before any work where possible.
    """
    documents = documents_of(plan.collection, plan.documents) if plan.collection else documents_in(plan.documents)
    refuse_unknown_sources(plan.cases, list(documents))
    evaluation = evaluation_graph(plan.judge or DEFAULT_EVALUATION)
    queries = {name: _query_graph(name) for name in plan.graphs}
    ingests = {} if plan.collection else {name: named_ingest(one, plan.ingest) for name, one in queries.items()}
    earlier = _earlier(plan)
    folder = _open(plan, digest(documents), queries, ingests, evaluation, resume)
    folder.keep_cases(plan.cases)
    collections = _own(plan) or _filled(plan, ingests, shown)
    answers = _asked(plan, collections, folder, shown)
    graphs, columns = {}, dict(earlier)
    case_ids = [case.id for case in plan.cases]
    for name in plan.graphs:
        scores = _judged(plan, name, answers[name], evaluation, folder, shown)
        graphs[name] = _about_graph(plan, folder.about["graphs"][name], collections[name], answers[name], scores)
        columns[name] = columns_of(case_ids, scores.values)
    compared = [compare(plan.cases, pair, columns[pair[0]], columns[pair[1]]) for pair in plan.compared]
    folder.finish({"case_ids": case_ids, "graphs": {name: graph["scores"] for name, graph in graphs.items()}})
    return folder, {**folder.about, "case_ids": case_ids, "graphs": graphs, "comparisons": compared}


def _open(
    plan: Plan,
    documents: str,
    queries: dict[str, Graph],
    ingests: dict[str, Graph],
    evaluation: Graph,
    resume: bool | None,
) -> RunFolder:
    about = {
        "sets": [{"name": one.name, "cases": len(one.cases)} for one in plan.sets],
        "cases_hash": digest([case.as_dict() for case in plan.cases]),
        "documents": {"folder": shown_path(plan.documents.absolute()), "hash": documents},
        "graphs": {name: _about(plan, queries[name], ingests.get(name)) for name in plan.graphs},
        "evaluation": {"graph": evaluation.name, "hash": graph_hash(evaluation)},
        "top_k": plan.top_k,
        **({"collection": plan.collection} if plan.collection else {}),
        "code": code_hash(),
        "versions": library_versions(),
        "machine": machine(),
    }
    return open_run(digest(about)[:8], about, resume)


def _about(plan: Plan, query: Graph, ingest: Graph | None) -> GraphAbout:
    if ingest is None:
        return {"hash": graph_hash(query), **about_filling(str(plan.collection))}
    embedder = binding_of(ingest)["embedder"]
    return {
        "hash": graph_hash(query),
        "ingest": ingest.name,
        "ingest_hash": graph_hash(ingest),
        "model": f"{describe(embedder['identity'])} ({embedder['fingerprint'][:8]})",
    }


def _query_graph(name: str) -> Graph:
    graph = load_graph(name)
    if graph.kind != "query":
        raise GraphKindError(f"graph {name!r} is of kind {graph.kind!r}", "name a graph of kind 'query' by --graph")
    return graph


def _earlier(plan: Plan) -> dict[str, Columns]:
    names = {name for pair in plan.compared for name in pair} - set(plan.graphs)
    return {name: earlier_columns(name) for name in sorted(names)}


def _own(plan: Plan) -> dict[str, AskedCollection]:
    if plan.collection is None:
        return {}
    collection = own_collection(plan.collection, plan.documents)
    return dict.fromkeys(plan.graphs, collection)


def _filled(plan: Plan, ingests: dict[str, Graph], shown: Shown) -> dict[str, AskedCollection]:
    filled: dict[str, AskedCollection] = {}
    for graph in ingests.values():
        if graph.name not in filled:
            with shown(f"fill a collection by {graph.name}", "files") as report:
                filled[graph.name] = throw_away_collection(plan.documents, graph, _ingested(report))
    return {name: filled[graph.name] for name, graph in ingests.items()}


def _ingested(report: Report) -> Callable[[Progress], None]:
    return lambda now: report(now.done, now.total)


def _asked(plan: Plan, collections: dict[str, AskedCollection], folder: RunFolder, shown: Shown) -> Answers:
    with shown(f"ask {', '.join(collections)}", "questions") as report:
        return ask_all(plan.cases, collections, folder, plan.top_k, report)


def _judged(
    plan: Plan, name: str, answers: list[KeptAnswer], evaluation: Graph, folder: RunFolder, shown: Shown
) -> Scores:
    with shown(f"judge {name}", "questions") as report:
        return score(plan.cases, answers, evaluation, name, folder, JUDGED_AT_A_TIME if plan.judge else ALL, report)


def _about_graph(
    plan: Plan, about: GraphAbout, collection: AskedCollection, answers: list[KeptAnswer], scores: Scores
) -> GraphReport:
    set_of = {case.id: one.name for one in plan.sets for case in one.cases}
    return {
        **about,
        "collection": {
            "key": collection.key, "files": collection.files, "failed": collection.failed,
            "seconds": collection.seconds,
        },
        **figures(plan.cases, set_of, scores),
        **worst_questions(plan.cases, answers, scores),
        "scores": scores.values,
        "judges": scores.judges,
    }  # fmt: skip
