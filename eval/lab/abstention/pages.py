"""Fit and measure the confidence on real PDFs: `python -m eval.lab.abstention.pages LONG_DOCUMENTS MANUALS`.

Each folder has its PDFs in `documents/`, as for `khub eval pages`; the questions are those of `eval/pages/abstention`.
What is fitted goes into `components/answers/confidence.py` by hand; the bound is one for questions like these, see the
notes of the report.
"""

import argparse
import json
import logging
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from components.answers.answer_builder import AnswerBuilder
from components.answers.confidence import COEFFICIENTS, CONSTANT, FOUND, NEAREST, Signs, signs_of
from components.answers.leg_reports import by_chance
from components.errors import KhubError
from components.stores.open_indexes import close_readers
from eval.bench.machine import machine
from eval.lab.abstention.logistic import fit, probability
from eval.lab.abstention.pages_report import markdown
from eval.lab.abstention.run import with_legs
from eval.pages.scopes import ALL, NAMED
from eval.retrieve.ranking import RANKED, Ranking, load_ranking
from eval.retrieve.run import fill, ingest_graph
from eval.run.files import write_file
from eval.run.hub_home import hub_home_at
from eval.run.throw_away_collection import NAME, ThrowAwayCollection
from server.commands.progress import progress
from server.graphs.run import run_graph

QUESTIONS = Path(__file__).parents[2] / "pages" / "abstention" / "questions.jsonl"
RESULTS = Path(__file__).parents[2] / "results"
ANSWERED, NEAR_MISS, ELSEWHERE = KINDS = ("answered", "near miss", "elsewhere")
HALVES = ("calibration", "test")
FALSE_ALARMS = 0.02
"""Of the answered questions of the calibration, so many may be turned away: of others it will be more."""


class Seen(NamedTuple):
    """A question as it was asked, and what was found for it.

    :param group: collection and scope.
    :param kind: one of `KINDS`.
    :param half: one of `HALVES`.
    :param found: whether a page with the answer is that of one of the first `NEAREST` passages.
    """

    group: tuple[str, str]
    kind: str
    half: str
    found: bool
    signs: Signs


def ask_all(name: str, collection: ThrowAwayCollection, ranking: Ranking) -> list[Seen]:
    """Ask a collection, and each named document alone, the questions that concern it.

    :param name: of the collection, to the reader.
    :param ranking: the query graph.
    """
    graph = with_legs(ranking.graph)
    asked = list(_questions({path.name for path in collection.documents.iterdir()}))
    seen = []
    with hub_home_at(collection.home), progress(f"{name}, {ranking.name}", "questions") as report:
        for done, (row, scope) in enumerate(asked, start=1):
            inputs: dict[str, Any] = {"query": row["question"], "collection": NAME}
            if scope == NAMED:
                source = str(collection.documents / _source(row))
                inputs["filters"] = {"field": "meta.source", "operator": "==", "value": source}
            outputs = run_graph(graph, inputs).outputs
            documents = outputs[RANKED] or []
            legs = [leg for key, leg in outputs.items() if key.startswith("leg ") and leg]
            pages = {(place["source"], place["page"]) for place in row["evidence"]}
            places = [place for one in documents[:NEAREST] for place in (one.meta, *(one.meta.get("also_in") or []))]
            found = any((Path(place["source"]).name, place.get("page")) in pages for place in places)
            signs = signs_of(documents, by_chance(legs))
            seen.append(Seen((name, scope), row["kind"], row["half"], found, signs))
            report(done, len(asked), "")
        close_readers()
    return seen


def _questions(sources: set[str]) -> Iterator[tuple[dict[str, Any], str]]:
    for line in QUESTIONS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        source = _source(row)
        if not source or source in sources:
            yield row, ALL
        if source in sources:
            yield row, NAMED


def _source(row: dict[str, Any]) -> str:
    return row["evidence"][0]["source"] if row["evidence"] else row.get("source", "")


def figures(seen: Sequence[Seen]) -> dict[str, Any]:
    """Fit on the one half and measure both.

    :returns: `shipped`, `chosen` and `fitted`, each `{coefficients, bound, halves: {half: {groups, bins, error}}}` with
        what `_measured` returns. The bound of `shipped` is that of `AnswerBuilder`, that of the others the highest that
        turns away no more than `FALSE_ALARMS` of the answered questions of the calibration.
    """
    first = [one for one in seen if one.half == HALVES[0]]
    fitted = fit(_rows(first), np.array([one.kind == ANSWERED for one in first], dtype=float), _weights(first))
    shipped = np.array([*COEFFICIENTS, CONSTANT])
    ways = {
        "shipped": (shipped, AnswerBuilder().min_confidence),
        "chosen": (shipped, _bound(first, shipped)),
        "fitted": (fitted, _bound(first, fitted)),
    }
    return {
        name: {
            "coefficients": [round(float(c), 2) for c in coefficients],
            "bound": round(bound, 3),
            "halves": {h: _measured([one for one in seen if one.half == h], coefficients, bound) for h in HALVES},
        }
        for name, (coefficients, bound) in ways.items()
    }


def _rows(seen: Sequence[Seen]) -> np.ndarray:
    return np.array([one.signs for one in seen], dtype=float)


def _weights(seen: Sequence[Seen]) -> np.ndarray:
    """Let each collection and scope count the same, and in it those with an answer as much as those without."""
    groups = [(one.group, one.kind) for one in seen]
    shares = {(group, kind): (1.0 if kind == ANSWERED else 0.5) for group, kind in groups}
    return np.array([shares[group] / groups.count(group) for group in groups])


def _bound(seen: Sequence[Seen], coefficients: np.ndarray) -> float:
    answered = [one for one in seen if one.kind == ANSWERED]
    return float(np.quantile(FOUND * probability(_rows(answered), coefficients), FALSE_ALARMS, method="lower"))


def _measured(seen: Sequence[Seen], coefficients: np.ndarray, bound: float) -> dict[str, Any]:
    """Return the share below the bound by group and kind, and how far the confidence is from what came true.

    :returns: `groups`: `{"collection, scope": {kind: share}}`; `bins`: `{low, questions, confidence, found}` of each
        tenth of the scale; `error`: the expected calibration error.
    """
    sure = FOUND * probability(_rows(seen), coefficients)
    groups: dict[str, dict[str, float]] = {}
    for group, kind in dict.fromkeys((one.group, one.kind) for one in seen):
        own = np.array([(one.group, one.kind) == (group, kind) for one in seen])
        groups.setdefault(", ".join(group), {})[kind] = float(np.mean(sure[own] < bound))
    tenths, found = np.minimum((sure * 10).astype(int), 9), np.array([one.found for one in seen])
    bins = [
        {
            "low": tenth / 10,
            "questions": int((tenths == tenth).sum()),
            "confidence": float(sure[tenths == tenth].mean()),
            "found": float(found[tenths == tenth].mean()),
        }
        for tenth in np.unique(tenths)
    ]
    error = sum(one["questions"] * abs(one["confidence"] - one["found"]) for one in bins) / len(seen)
    return {"groups": groups, "bins": bins, "error": error}


def main() -> None:
    """Run, and write `abstention-pages.json` and `abstention-pages.md`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR", help="folders with documents/")
    parser.add_argument("--graph", default="query", metavar="NAME")
    parser.add_argument("--ingest", metavar="NAME", help="graph that fills the collections")
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="DIR")
    options = parser.parse_args()
    logging.disable(logging.INFO)
    try:
        ranking = load_ranking(options.graph)
        maker = ingest_graph(ranking, options.ingest)
        seen = [
            found
            for folder in options.folders
            for found in ask_all(folder.name, fill(folder.name, folder / "documents", maker), ranking)
        ]
        write_report(options.out, seen, options.graph)
    except KhubError as error:
        sys.exit(str(error))


def write_report(out: Path, seen: Sequence[Seen], graph: str) -> None:
    """Write what was measured, and print it."""
    about = {"machine": machine(), "date": time.strftime("%Y-%m-%d"), "graph": graph, "signs": list(Signs._fields)}
    results = {**about, "questions": len(seen), **figures(seen)}
    text = markdown(results)
    write_file(out / "abstention-pages.json", json.dumps(results, indent=1) + "\n")
    write_file(out / "abstention-pages.md", text)
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
