"""One run of the calibration: collections, questions, fit, report."""

import bisect
import math
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from khub.components.answers.calibration import evidence_of
from khub.components.answers.confidence import COEFFICIENTS, CONSTANT, Signs, signs_of
from khub.components.answers.leg_reports import keyword_signs
from khub.components.stores.open_indexes import close_readers
from khub.components.text.question_language import question_language
from khub.eval.embedding.distributions import auc
from khub.eval.lab.abstention.logistic import fit, probability
from khub.eval.lab.abstention.questions import HALVES, Asked, questions_for
from khub.eval.machine import machine
from khub.eval.retrieve.passages import RetrievalSet, read_retrieval_set, write_passages
from khub.eval.retrieve.ranking import RANKED, Ranking, load_ranking
from khub.eval.retrieve.run import fill, ingest_graph
from khub.eval.run.hub_home import hub_home_at
from khub.eval.run.throw_away_collection import NAME
from khub.eval.statistics import bootstrap_interval
from khub.server.commands.progress import progress
from khub.server.graphs.load import Graph
from khub.server.graphs.run import run_graph

FALSE_ALARMS = 0.05
"""Of the answered questions, so many may be turned away."""

CERTAIN = 0.95
"""How certain it shall be that other collections of the same kinds keep to that."""


class Seen(NamedTuple):
    """A question, and what was found for it.

    :param collection: name of the set whose passages were searched.
    """

    collection: str
    asked: Asked
    signs: Signs


def calibrate(
    folders: Sequence[Path], graph: str, most: int, fit_on: Sequence[Path] = (), most_to_fit: int = 60
) -> dict[str, Any]:
    """Ask every collection its own questions and those of others, and return the figures.

    :param folders: data sets in the format of BEIR, to measure on.
    :param graph: name of the query graph.
    :param most: see `questions_for`.
    :param fit_on: other such sets, to fit on; none to fit on one half of the questions that are measured on.
    :param most_to_fit: as `most`, of the sets to fit on.
    :returns: `fitted`, `shipped`, `certain`, `default` (see `figures`), and what they were measured with.
    :raises KhubError: naming the set or the graph that cannot be used.
    """
    ranking = load_ranking(graph)
    seen = _ask_sets(folders, ranking, most)
    first, second = ([one for one in seen if one.asked.half == half] for half in HALVES)
    if fit_on:
        first, second = _ask_sets(fit_on, ranking, most_to_fit), seen
    load = " ".join(f"{value:.1f}" for value in os.getloadavg()) if hasattr(os, "getloadavg") else ""
    about: dict[str, Any] = {"machine": machine(), "load": load, "date": time.strftime("%Y-%m-%d"), "graph": graph}
    about |= {"signs": list(Signs._fields), "questions": len(seen), "fit_on": [folder.name for folder in fit_on]}
    about |= {"most": most, "most_to_fit": most_to_fit, "questions_to_fit": len(first)}
    shipped = np.array([*COEFFICIENTS, CONSTANT])
    return {**about, **figures(first, second, shipped, _min_confidence(ranking.graph))}


def figures(
    first: Sequence[Seen], second: Sequence[Seen], shipped: np.ndarray, min_confidence: float
) -> dict[str, Any]:
    """Fit on some questions, and measure on others.

    :param first: questions to fit on, answered and not.
    :param second: questions to measure on.
    :param shipped: coefficients to compare with, that of the constant last.
    :param min_confidence: the bound that the graph has.
    :returns: `fitted`, `shipped`, `certain` and `default`, each `{coefficients, bound, collections: {name: {right,
        wrong, auc}}, mean: {…}}`. `right` and `wrong` are the shares of the second questions without and with an answer
        that lie below the bound; `auc` is the area under the receiver operating characteristic, which no bound decides.
        The bound of `default` is `min_confidence`; that of `fitted` and `shipped` is the highest that turns away no
        more than `FALSE_ALARMS` of the first questions that have an answer, every collection weighing the same; that
        of `certain` the highest at which this can be said of other such collections with a certainty of `CERTAIN`.
    """
    fitted = fit(_rows(first), _answered(first), _weights(first))
    ways = {
        "fitted": (fitted, _bound(first, fitted)),
        "shipped": (shipped, _bound(first, shipped)),
        "certain": (shipped, _certain_bound(first, shipped)),
        "default": (shipped, min_confidence),
    }
    return {
        name: {
            "coefficients": [round(float(c), 2) for c in coefficients],
            "bound": round(bound, 4),
            **_measured(second, coefficients, bound),
        }
        for name, (coefficients, bound) in ways.items()
    }


def _ask_sets(folders: Sequence[Path], ranking: Ranking, most: int) -> list[Seen]:
    sets = [read_retrieval_set(folder, with_title=False) for folder in folders]
    return [found for data in sets for found in _ask_all(data, sets, ranking, most)]


def _ask_all(data: RetrievalSet, sets: Sequence[RetrievalSet], ranking: Ranking, most: int) -> list[Seen]:
    collection = fill(data.name, write_passages(data), ingest_graph(ranking, None))
    graph = _with_legs(ranking.graph)
    asked = questions_for(data, sets, most)
    seen = []
    with hub_home_at(collection.home), progress(f"{data.name}, {ranking.name}", "questions") as report:
        try:
            for done, question in enumerate(asked.values(), start=1):
                outputs = run_graph(graph, {"query": question.text, "collection": NAME}).outputs
                seen.append(Seen(data.name, question, _signs(outputs, question_language(question.text))))
                report(done, len(asked), "")
        finally:
            close_readers()
    return seen


def _with_legs(graph: Graph) -> Graph:
    """Return the graph with the reports of its legs as further outputs."""
    edges = graph.pipeline.graph.in_edges(_answering(graph), data=True)
    legs = [f"{sender}.{d['from_socket'].name}" for sender, _, d in edges if d["to_socket"].name == "legs"]
    return replace(graph, outputs={**graph.outputs, **{f"leg {socket}": socket for socket in legs}})


def _answering(graph: Graph) -> str:
    return graph.outputs["answer"].partition(".")[0]


def _min_confidence(graph: Graph) -> float:
    """Return the graph's bound before it was calibrated; 0 where it has none, and so never abstains."""
    return evidence_of(float(getattr(graph.pipeline.get_component(_answering(graph)), "min_confidence", 0.0)))


def _signs(outputs: Mapping[str, Any], language: str) -> Signs:
    legs = [leg for name, leg in outputs.items() if name.startswith("leg ") and leg]
    return signs_of(outputs[RANKED] or [], keyword_signs(legs), language)


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


def _certain_bound(seen: Sequence[Seen], coefficients: np.ndarray) -> float:
    """Return the highest bound at which the upper end of an interval of the share turned away keeps to `FALSE_ALARMS`.

    How many are turned away differs more from collection to collection than chance makes it differ within one, so that
    the collections are what is drawn anew (a one-sided percentile bootstrap over clusters).
    """
    answered = [one for one in seen if one.asked.answered]
    likely = probability(_rows(answered), coefficients)
    names = np.array([one.collection for one in answered])
    own = [np.sort(likely[names == name]) for name in dict.fromkeys(names)]
    bounds = np.unique(likely)

    def too_high(bound: float) -> bool:
        shares = [float(np.searchsorted(found, bound)) / len(found) for found in own]
        return bootstrap_interval(shares, level=2 * CERTAIN - 1)[1] > FALSE_ALARMS

    return float(bounds[max(bisect.bisect_left(bounds, True, key=too_high) - 1, 0)])


def _measured(seen: Sequence[Seen], coefficients: np.ndarray, bound: float) -> dict[str, Any]:
    likely = probability(_rows(seen), coefficients)
    names = list(dict.fromkeys(one.collection for one in seen))
    shares = {name: _shares(seen, likely, bound, name) for name in names}
    mean = {key: float(np.mean([share[key] for share in shares.values()])) for key in ("right", "wrong", "auc")}
    return {"collections": shares, "mean": mean}


def _shares(seen: Sequence[Seen], likely: np.ndarray, bound: float, name: str) -> dict[str, float]:
    own = np.array([one.collection == name for one in seen])
    answered = _answered(seen) == 1
    with_answer, without = likely[own & answered], likely[own & ~answered]
    area = auc(with_answer, without)
    return {
        "right": float(np.mean(without < bound)),
        "wrong": float(np.mean(with_answer < bound)),
        "auc": math.nan if area is None else area,
    }
