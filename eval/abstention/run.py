"""One run of the calibration: collections, questions, fit, report."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from components.answers.confidence import COEFFICIENTS, CONSTANT, Signs, signs_of
from components.stores.open_indexes import close_readers
from eval.abstention.logistic import fit, probability
from eval.abstention.questions import HALVES, Asked, questions_for
from eval.bench.machine import machine
from eval.retrieve.passages import RetrievalSet, read_retrieval_set, write_passages
from eval.retrieve.ranking import RANKED, Ranking, load_ranking
from eval.retrieve.run import fill, ingest_graph
from eval.run.hub_home import hub_home_at
from eval.run.throw_away_collection import NAME
from server.commands.progress import progress
from server.graphs import Graph
from server.run_graph import run_graph

CITED = 5
FALSE_ALARMS = 0.05  # of the answered questions, so many may be turned away


class Seen(NamedTuple):
    """A question, and what was found for it.

    :param collection: name of the set whose passages were searched.
    """

    collection: str
    asked: Asked
    signs: Signs


def calibrate(folders: Sequence[Path], graph: str, most: int) -> dict[str, Any]:
    """Ask every collection its own questions and those of others, and return the figures.

    :param folders: data sets in the format of BEIR.
    :param graph: name of the query graph.
    :param most: see `questions_for`.
    :returns: `fitted`, `shipped`: for each the coefficients, the bound that the first half gives, and by collection
        and on the mean the shares of the second half's questions that are turned away; see `figures`.
    :raises KhubError: naming the set or the graph that cannot be used.
    """
    sets = [read_retrieval_set(folder, with_title=False) for folder in folders]
    ranking = load_ranking(graph)
    seen = [found for data in sets for found in _ask_all(data, sets, ranking, most)]
    load = " ".join(f"{value:.1f}" for value in os.getloadavg()) if hasattr(os, "getloadavg") else ""
    about = {"machine": machine(), "load": load, "date": time.strftime("%Y-%m-%d"), "graph": graph}
    shipped = np.array([*COEFFICIENTS, CONSTANT])
    return {**about, "signs": list(Signs._fields), "questions": len(seen), **figures(seen, shipped)}


def figures(seen: Sequence[Seen], shipped: np.ndarray) -> dict[str, Any]:
    """Fit on the first halves, and measure on the second.

    :param seen: questions of both halves, answered and not.
    :param shipped: coefficients to compare with, that of the constant last.
    :returns: `fitted` and `shipped`, each `{coefficients, bound, collections: {name: {right, wrong}}, mean: {…}}`.
        The bound is the highest that turns away no more than a twentieth of the first halves' answered questions, every
        collection weighing the same; `right` and `wrong` are the shares of the second halves' questions without and
        with an answer that lie below it.
    """
    first, second = ([one for one in seen if one.asked.half == half] for half in HALVES)
    fitted = fit(_rows(first), _answered(first), _weights(first))
    found = {}
    for name, coefficients in (("fitted", fitted), ("shipped", shipped)):
        bound = _bound(first, coefficients)
        measured = _measured(second, coefficients, bound)
        found[name] = {"coefficients": [round(float(c), 2) for c in coefficients], "bound": round(bound, 4), **measured}
    return found


def _ask_all(data: RetrievalSet, sets: Sequence[RetrievalSet], ranking: Ranking, most: int) -> list[Seen]:
    collection = fill(data.name, write_passages(data), ingest_graph(ranking, None))
    graph = _with_legs(ranking.graph)
    asked = questions_for(data, sets, most)
    seen = []
    with hub_home_at(collection.home), progress(f"{data.name}, {ranking.name}", "questions") as report:
        try:
            for done, question in enumerate(asked.values(), start=1):
                outputs = run_graph(graph, {"query": question.text, "collection": NAME}).outputs
                seen.append(Seen(data.name, question, _signs(outputs)))
                report(done, len(asked), "")
        finally:
            close_readers()
    return seen


def _with_legs(graph: Graph) -> Graph:
    """Return the graph with the reports of its legs as further outputs."""
    answering = graph.outputs["answer"].partition(".")[0]
    edges = graph.pipeline.graph.in_edges(answering, data=True)
    legs = [f"{sender}.{d['from_socket'].name}" for sender, _, d in edges if d["to_socket"].name == "legs"]
    return replace(graph, outputs={**graph.outputs, **{f"leg {socket}": socket for socket in legs}})


def _signs(outputs: Mapping[str, Any]) -> Signs:
    legs = [leg for name, leg in outputs.items() if name.startswith("leg ") and leg]
    told: Mapping[str, Any] = next((leg for leg in legs if leg.get("rarity")), {})
    return signs_of((outputs[RANKED] or [])[:CITED], told.get("rarity"), told.get("coverage"))


def _rows(seen: Sequence[Seen]) -> np.ndarray:
    return np.array([one.signs for one in seen], dtype=float)


def _answered(seen: Sequence[Seen]) -> np.ndarray:
    return np.array([one.asked.answered for one in seen], dtype=float)


def _weights(seen: Sequence[Seen]) -> np.ndarray:
    """Let every collection count as much as any other, and in it the answered questions as much as the others."""
    groups = [(one.collection, one.asked.answered) for one in seen]
    return np.array([1 / groups.count(group) for group in groups])


def _bound(seen: Sequence[Seen], coefficients: np.ndarray) -> float:
    answered = [one for one in seen if one.asked.answered]
    likely = probability(_rows(answered), coefficients)
    order = np.argsort(likely)
    share = np.cumsum(_weights(answered)[order])
    return float(likely[order][np.searchsorted(share / share[-1], FALSE_ALARMS, side="right")])


def _measured(seen: Sequence[Seen], coefficients: np.ndarray, bound: float) -> dict[str, Any]:
    below = probability(_rows(seen), coefficients) < bound
    names = list(dict.fromkeys(one.collection for one in seen))
    shares = {name: _shares(seen, below, name) for name in names}
    mean = {key: float(np.mean([share[key] for share in shares.values()])) for key in ("right", "wrong")}
    return {"collections": shares, "mean": mean}


def _shares(seen: Sequence[Seen], below: np.ndarray, name: str) -> dict[str, float]:
    found: dict[bool, list[bool]] = {True: [], False: []}
    for one, is_below in zip(seen, below, strict=True):
        if one.collection == name:
            found[one.asked.answered].append(bool(is_below))
    return {"right": float(np.mean(found[False])), "wrong": float(np.mean(found[True]))}
