"""Measure marks and doubt on the golden questions, which chose nothing of them.

    khub ingest eval/samples --collection demo
    python -m khub.eval.lab.answers.golden HOME

*Marked*: of the answerable questions whose evidence is in a passage that is shown, those of which the mark and the
evidence hold each other, or the mark holds the answer.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from khub.components.answer import Answer
from khub.eval.lab.answers.measure import DROPPED
from khub.server.hub import Hub

GOLDEN = Path(__file__).parents[2] / "golden"
COLLECTION = "demo"


class Figures(NamedTuple):
    """What became of a question; `marked` is None where no passage that is shown holds the evidence."""

    answerable: bool
    marked: bool | None
    absent: bool
    doubted: bool


def questions() -> Iterator[dict[str, Any]]:
    """Yield the golden questions."""
    for file in sorted(GOLDEN.glob("*.jsonl")):
        yield from map(json.loads, file.read_text(encoding="utf-8").splitlines())


def figures(answer: Answer, asked: dict[str, Any]) -> Figures:
    """Return what is right of an answer."""
    evidence, said = _plain(asked.get("evidence") or ""), _plain(asked.get("answer") or "")
    holding = [one for one in answer.citations if evidence and evidence in _plain(one.text)]
    marks = [_plain(one.evidence) for one in holding[:1]]
    right = [bool(m) and (evidence in m or m in evidence or bool(said and said in m)) for m in marks]
    doubted = answer.abstained or answer.confidence < 0.5
    return Figures(bool(asked["answerable"]), right[0] if right else None, bool(answer.not_shown), doubted)


def _plain(text: str) -> str:
    return DROPPED.sub("", text).casefold()


def main() -> None:
    """Ask and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path)
    hub = Hub(parser.parse_args().home)
    found = [figures(hub.ask(asked["question"], COLLECTION), asked) for asked in questions()]
    marked = [one.marked for one in found if one.answerable and one.marked is not None]
    told: dict[str, Any] = {"marked": [sum(marked), len(marked)]}
    for name, answerable in (("answerable", True), ("unanswerable", False)):
        of = [one for one in found if one.answerable is answerable]
        told[name] = {"n": len(of), "absent": sum(o.absent for o in of), "doubted": sum(o.doubted for o in of)}
    json.dump(told, sys.stdout)
    print()


if __name__ == "__main__":
    main()
