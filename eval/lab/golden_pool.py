"""Collect the passages that a person should judge for each golden question, by several ways of searching.

    KHUB_HOME=DIR python -m khub.eval.lab.golden_pool --set handbook-en --out pool.jsonl

The samples are read into two collections of `$KHUB_HOME`. Each question is asked by each way of `WAYS`, and the union
of their first passages is written, so that no place is judged because one way alone prefers it (pooling, as TREC does
it: Voorhees and Harman, *TREC: Experiment and Evaluation in Information Retrieval*, MIT Press, 2005).
"""

import json
import sys
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
import yaml

from khub.components.errors import EvaluationError, KhubError
from khub.components.home import hub_home
from khub.eval.run.golden_set import golden_sets
from khub.server.commands.progress import progress
from khub.server.graphs.load import find_graph, written_out
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from khub.server.terminal import count, write_line

SAMPLES = Path(__file__).parents[1] / "samples"
ANSWER_BUILDER = "khub.components.answers.answer_builder.AnswerBuilder"
DEPTH = 10


class Way(NamedTuple):
    """A way of searching: a query graph, the ingest graph that fills its collection, and the legs (None for both)."""

    name: str
    graph: str
    ingest_graph: str
    legs: list[str] | None

    @property
    def collection(self) -> str:
        """The collection that its ingest graph fills."""
        return f"golden-pool-{self.ingest_graph}"


WAYS = (
    Way("dense", "query", "ingest", ["dense"]),
    Way("sparse", "query", "ingest", ["sparse"]),
    Way("query", "query", "ingest", None),
    Way("fast", "query", "ingest_fast", None),
)


def pool(
    questions: Annotated[
        str, typer.Option("--set", metavar="NAME", help="A set of eval/golden, or a file that ends in .jsonl.")
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where the candidates go, a line for each question.")],
) -> None:
    """Write the candidates of every question of a golden set."""
    cases = golden_sets([questions])[0].cases
    fill(SAMPLES)
    lines: list[dict[str, Any]] = []
    with progress("pool", "questions") as report:
        for case in cases:
            asked = {"case_id": case.id, "question": case.question, "answer": case.answer}
            lines.append({**asked, "candidates": candidates(case.question, SAMPLES)})
            report(len(lines), len(cases))
    out.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    found = sum(len(line["candidates"]) for line in lines)
    write_line(f"{out}: {count(found, 'candidate')} of {count(len(lines), 'question')}")


def fill(documents: Path) -> None:
    """Read the documents into the collections of all ways.

    :param documents: their folder.
    :raises EvaluationError: when one of them cannot be read.
    """
    for collection, graph in dict.fromkeys((way.collection, way.ingest_graph) for way in WAYS):
        failed = ingest([str(documents)], collection, graph).failed
        if failed:
            raise EvaluationError(f"'{failed[0]['source']}' cannot be read: {failed[0]['error']}", failed[0]["remedy"])


def candidates(question: str, documents: Path) -> list[dict[str, Any]]:
    """Return the union of the first `DEPTH` passages of all ways, each passage once.

    :param question: its text.
    :param documents: the folder that `fill` has read.
    :returns: `{source, page, section, text, found_by}` by the best rank that any way gave; `source` is relative to
        the folder, and `found_by` a dict of way -> rank (from 1).
    """
    found: dict[tuple[str, Any, str], dict[str, Any]] = {}
    for way in WAYS:
        answer = ask(question, way.collection, str(never_abstaining(way.graph)), top_k=DEPTH, legs=way.legs)
        for rank, citation in enumerate(answer.citations, start=1):
            source = Path(citation.source).relative_to(documents.absolute()).as_posix()
            place = {"source": source, **{key: getattr(citation, key) for key in ("page", "section", "text")}}
            key = (source, place["page"], place["text"])
            found.setdefault(key, {**place, "found_by": {}})["found_by"][way.name] = rank
    return sorted(found.values(), key=lambda place: min(place["found_by"].values()))


def never_abstaining(name: str) -> Path:
    """Return the file of a query graph that cites what it found however unsure it is.

    :param name: the graph; its copy lies in the hub's folder.
    """
    graph = yaml.safe_load(written_out(find_graph(name)))
    for part in graph["components"].values():
        if part["type"] == ANSWER_BUILDER:
            part["init_parameters"]["min_confidence"] = 0
    file = hub_home() / "golden_pool" / f"{name}.yaml"
    text = yaml.safe_dump(graph, sort_keys=False, allow_unicode=True)
    if not file.is_file() or file.read_text(encoding="utf-8") != text:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return file


def main() -> None:
    """Run the command; errors of the hub are one line."""
    try:
        typer.run(pool)
    except KhubError as error:
        sys.exit(f"{error}")


if __name__ == "__main__":
    main()
