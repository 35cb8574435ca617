"""Measure what comes after finding: the mark, doubt, both sides of a comparison, paraphrases, claims.

    python -m khub.eval.lab.answers.measure DATA HOME --half choose --output FILE

DATA is the folder of the test material of other people, HOME a folder for the hub that is made of its documents, which
is kept: the next call asks at once.
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from khub.components.answer import Answer, Citation
from khub.eval.lab.answers.sets import Case, Half, Kind, Place, gather, read_cases
from khub.server.hub import Hub

COLLECTION = "answers"
FIRST, AMONG = 5, 6
DOUBTED = 0.5
"""An answer is doubted if it abstains, or its confidence is below this."""
DROPPED = re.compile(r"[\s*|`_\\]+")
VERDICTS = {"supported": "agrees", "refuted": "differs", "not_found": "not_found"}


class Row(NamedTuple):
    """What became of a case."""

    id: str
    figures: dict[str, bool | float]


def holds(text: str, place: Place) -> bool:
    """Say whether a text holds one of the answers of a place; white space and Markdown's marks do not count."""
    plain = _plain(text)
    return any(_plain(answer) in plain for answer in place.answers)


def _plain(text: str) -> str:
    return DROPPED.sub("", text).casefold().replace("’", "'")


def is_of(citation: Citation, place: Place) -> bool:
    """Say whether a citation is of the file of a place."""
    return citation.source.replace("\\", "/").endswith(f"/{place.file}")


def _passage(answer: Answer, place: Place, among: int) -> int | None:
    """Return which citation holds the answer of a place, from 0."""
    shown = enumerate(answer.citations[:among])
    return next((n for n, one in shown if is_of(one, place) and holds(one.text, place)), None)


def found(answer: Answer, case: Case) -> dict[str, bool | float]:
    """Return what is right of the answer to a plain question; the mark only where a passage that answers is shown."""
    [place] = case.places
    at = _passage(answer, place, FIRST)
    figures: dict[str, bool | float] = {
        "document": bool(answer.citations) and is_of(answer.citations[0], place),
        "first": at == 0,
        "five": at is not None,
        "doubted": is_doubted(answer),
        "confidence": answer.confidence,
        "passages": len(answer.citations),
    }
    if at is not None:
        figures["marked"] = holds(answer.citations[at].evidence, place)
    figures["begins"] = holds(answer.answer.partition("\n")[0], place)
    return figures


def near(answer: Answer, _case: Case) -> dict[str, bool | float]:
    """Return what is said to a question that nothing answers."""
    return {"doubted": is_doubted(answer), "confidence": answer.confidence}


def sides(answer: Answer, case: Case) -> dict[str, bool | float]:
    """Return whether every side of a comparison stands among the first passages."""
    among = [_passage(answer, place, AMONG) is not None for place in case.places]
    return {"all": all(among), "some": any(among)}


def is_doubted(answer: Answer) -> bool:
    """Say whether an answer says that it may be none."""
    return answer.abstained or answer.confidence < DOUBTED


ASKED: dict[Kind, Callable[[Answer, Case], dict[str, bool | float]]] = {
    "plain": found,
    "para": found,
    "near": near,
    "sides": sides,
}


def ask_all(hub: Hub, half: Half, graph: str) -> dict[str, list[Row]]:
    """Return what became of every case of a half, by kind."""
    rows: dict[str, list[Row]] = {
        kind: [Row(c.id, judge(hub.ask(c.text, COLLECTION, graph, top_k=AMONG), c)) for c in read_cases(kind, half)]
        for kind, judge in ASKED.items()
    }
    return {**rows, "claims": [_claim(hub, case) for case in read_cases("claims", half)]}


def _claim(hub: Hub, case: Case) -> Row:
    judged = hub.verify([case.text], COLLECTION).claims[0]
    return Row(case.id, {f"{case.verdict}, {judged.verdict}": True, "right": VERDICTS[case.verdict] == judged.verdict})


def summary(rows: Mapping[str, Sequence[Row]]) -> dict[str, dict[str, Any]]:
    """Return mean and number of each figure, by kind; of verdicts, how many."""
    return {kind: {"n": len(of), **_means(of)} for kind, of in rows.items()}


def _means(rows: Iterable[Row]) -> dict[str, Any]:
    values: dict[str, list[float]] = {}
    for row in rows:
        for name, value in row.figures.items():
            values.setdefault(name, []).append(float(value))
    return {
        name: len(many) if ", " in name else round(sum(many) / len(many), 3) for name, many in sorted(values.items())
    }


def reliability(rows: Mapping[str, Sequence[Row]]) -> list[dict[str, float]]:
    """Return what confidence says beside how often a passage that is shown answers, by tenths of the confidence.

    Near misses are never answered. The mean of the distances, each weighed by its number, is the expected calibration
    error (M. P. Naeini, G. F. Cooper and M. Hauskrecht, *Obtaining Well Calibrated Probabilities*, AAAI 2015).
    """
    bins: dict[int, list[tuple[float, float]]] = {}
    for row in (row for kind in ("plain", "para", "near") for row in rows[kind]):
        confidence = float(row.figures["confidence"])
        bins.setdefault(min(int(confidence * 10), 9), []).append((confidence, float(row.figures.get("five", False))))
    return [
        {"n": len(of), "said": sum(c for c, _ in of) / len(of), "right": sum(r for _, r in of) / len(of)}
        for _, of in sorted(bins.items())
    ]


def calibration_error(bins: Sequence[dict[str, float]]) -> float:
    """Return the expected calibration error of bins of `reliability`."""
    return sum(one["n"] * abs(one["said"] - one["right"]) for one in bins) / sum(one["n"] for one in bins)


def main() -> None:
    """Make the hub where it is not there yet, ask everything, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("home", type=Path)
    parser.add_argument("--half", choices=("choose", "measure"), default="choose")
    parser.add_argument("--graph", default="query")
    parser.add_argument("--output", type=Path, help="JSON of every case")
    arguments = parser.parse_args()
    hub = Hub(arguments.home)
    if COLLECTION not in hub.collections():
        gather(arguments.data, arguments.home / "documents")
        hub.ingest(arguments.home / "documents", collection=COLLECTION)
    rows = ask_all(hub, arguments.half, arguments.graph)
    if arguments.output:
        told = {kind: {row.id: row.figures for row in of} for kind, of in rows.items()}
        arguments.output.write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    bins = reliability(rows)
    calibration = {"error": round(calibration_error(bins), 3), "bins": bins}
    json.dump({**summary(rows), "calibration": calibration}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
