"""Measure how a question that follows another is best searched: `python -m khub.eval.bench.follow_ups`."""

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from khub.components.answer import Citation
from khub.eval.run.files import write_file
from khub.eval.run.hub_home import hub_home_at
from khub.eval.run.throw_away_collection import NAME, ThrowAwayCollection, throw_away_collection
from khub.server.graphs.load import load_graph
from khub.server.questions.ask import ask
from khub.server.questions.follow_up import self_contained

HERE = Path(__file__).parents[1]
RESULT = HERE / "results" / "follow_ups.md"
DEEP = 5


@dataclass(frozen=True)
class Turn:
    """Two questions, and where the second one is answered."""

    id: str
    before: str
    question: str
    language: str
    depends: bool
    source: str
    page: int | None


METHODS: dict[str, Callable[[Turn], str]] = {
    "the question alone": lambda turn: turn.question,
    "both questions": lambda turn: f"{turn.before} {turn.question}",
    "as the hub does": lambda turn: self_contained([turn.before, turn.question], NAME),
}
PARTS: dict[str, Callable[[Turn], bool]] = {
    "all": lambda _: True,
    "depends on the turn before": lambda turn: turn.depends,
    "another subject": lambda turn: not turn.depends,
    "Chinese": lambda turn: turn.language == "zh",
    "English": lambda turn: turn.language == "en",
}


def main() -> None:
    """Ask each second question in every way, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--set", default="follow_ups", help="in eval/golden/follow_ups; follow_ups_tuning to try things"
    )
    chosen = parser.parse_args().set
    text = (HERE / "golden" / "follow_ups" / f"{chosen}.jsonl").read_text(encoding="utf-8")
    turns = [Turn(**json.loads(line)) for line in text.splitlines()]
    collection = throw_away_collection(HERE / "samples", load_graph("ingest"))
    with hub_home_at(collection.home):
        ranks = {name: [_rank(turn, method(turn), collection) for turn in turns] for name, method in METHODS.items()}
    report = _report(turns, ranks)
    print(report)
    if chosen == "follow_ups":
        write_file(RESULT, report)


def _rank(turn: Turn, query: str, collection: ThrowAwayCollection) -> int | None:
    """Return at which place the right page, or document without pages, is cited."""
    citations = ask(query, NAME, top_k=DEEP).citations
    return next((place for place, cited in enumerate(citations, start=1) if _is_right(turn, cited, collection)), None)


def _is_right(turn: Turn, cited: Citation, collection: ThrowAwayCollection) -> bool:
    return collection.relative(cited.source) == turn.source and turn.page in (None, cited.page)


def _report(turns: list[Turn], ranks: dict[str, list[int | None]]) -> str:
    lines = [
        "# Questions that follow others",
        "",
        f"{len(turns)} conversations of two turns about the sample documents. A hit is the right page, or the right",
        f"document where it has no pages, among the first 1 or {DEEP} citations; counts, so that they can be added.",
        "No language model takes part. Made by `python -m khub.eval.bench.follow_ups`.",
        "",
        "Nearly all questions that depend on the turn before are answered where that one is: its words find",
        "the place again by themselves. This half shows what is lost without them, not how well a new place is found.",
        "Questions with another subject, and the first ones, are of the golden sets.",
        "",
        "| searched | " + " | ".join(f"{part}: hit@1, hit@{DEEP}" for part in PARTS) + " |",
        "|---|" + "---|" * len(PARTS),
    ]
    for name, found in ranks.items():
        cells = []
        for part in PARTS.values():
            inside = [rank for turn, rank in zip(turns, found, strict=True) if part(turn)]
            first, deep = sum(rank == 1 for rank in inside), sum(rank is not None for rank in inside)
            cells.append(f"{first}, {deep} of {len(inside)}")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
