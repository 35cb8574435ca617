"""The ranking by each leg alone, scored: what one leg loses, the other may make up for."""

from collections.abc import Sequence
from pathlib import Path

from khub.components.answers.fixed_order import in_fixed_order
from khub.components.errors import BindingError, CollectionError, GraphError, KhubError, StageError, StoreError
from khub.eval.cases import Case
from khub.eval.evaluators.retrieval_evaluator import RetrievalEvaluator
from khub.eval.retrieve.ranking import BEFORE_ANSWER, RANKED, Ranking, load_ranking
from khub.eval.run.evaluation import Shown
from khub.eval.run.fitting_ingest import fitting_ingest
from khub.eval.run.hub_home import hub_home_at
from khub.eval.run.kept_answer import KeptAnswer, KeptCitation
from khub.eval.run.scoring import Scores
from khub.eval.run.throw_away_collection import NAME, ThrowAwayCollection, throw_away_collection
from khub.server.graphs.run import run_graph

DEPTH = 10
HITS_AT = [5]


def leg_ranking(graph: str) -> Ranking:
    """Load a query graph for its rankings by one leg.

    :param graph: its name.
    :raises GraphError: when it cannot be asked for one leg alone, or no single list of documents reaches its answer:
        citations would hide the ranking wherever one leg is not enough for an answer.
    """
    ranking = load_ranking(graph)
    remedy = "take 'legs' out of the gate, or measure another graph"
    if "legs" not in ranking.graph.inputs:
        raise GraphError(f"graph {graph!r} has no input 'legs'", remedy, code="graph_input_wrong")
    if ranking.source != BEFORE_ANSWER:
        raise StageError(f"no single list of documents reaches the answer of graph {graph!r}", remedy)
    return ranking


def measure_legs(
    ranking: Ranking, legs: Sequence[str], cases: Sequence[Case], documents: Path, shown: Shown
) -> dict[str, Scores]:
    """Ask a graph the answerable questions by one leg at a time, and score the first 10 passages of each ranking.

    The collection is the one in which `khub.eval.run.evaluation.evaluate` asks the graph.

    :param ranking: from `leg_ranking`.
    :param legs: `dense`, `sparse` or both.
    :param documents: the folder that the questions were written from.
    :param shown: shows progress.
    :returns: leg -> hit@5, recall@10, mrr@10 and ndcg@10 of each case, as `RetrievalEvaluator` gives them.
    :raises KhubError: when the collection cannot be asked at all; a question that fails is in `failed`.
    """
    collection = throw_away_collection(documents, fitting_ingest(ranking.graph))
    with hub_home_at(collection.home):
        return {leg: _scores(ranking, leg, cases, collection, shown) for leg in legs}


def _scores(ranking: Ranking, leg: str, cases: Sequence[Case], collection: ThrowAwayCollection, shown: Shown) -> Scores:
    answers: list[KeptAnswer] = []
    with shown(f"ask {ranking.name} by its {leg} leg", "questions") as report:
        for done, case in enumerate(cases, start=1):
            answers.append(_answer(ranking, leg, case, collection) if case.answerable else {"case_id": case.id})
            report(done, len(cases))
    found = RetrievalEvaluator(k=HITS_AT, depth=DEPTH).run(
        [{**case.as_dict()} for case in cases], [{**answer} for answer in answers]
    )
    return Scores(found["scores"], found["failed"])


def _answer(ranking: Ranking, leg: str, case: Case, collection: ThrowAwayCollection) -> KeptAnswer:
    """Return the ranking as evaluators know answers."""
    try:
        outputs = run_graph(ranking.graph, {"query": case.question, "collection": NAME, "legs": [leg]}).outputs
    except (BindingError, CollectionError, StoreError):
        raise  # no other question could be answered either
    except KhubError as error:
        return {"case_id": case.id, "error": str(error)}
    citations: list[KeptCitation] = [
        {
            "relative_source": collection.relative(str(d.meta["source"])),
            "page": d.meta.get("page"),
            "text": d.content or "",
        }
        for d in in_fixed_order(outputs[RANKED] or [])
    ]
    return {"case_id": case.id, "abstained": False, "citations": citations}
