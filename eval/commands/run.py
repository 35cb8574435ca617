"""`khub eval run`: ask graphs the questions of golden sets, and report how well they answer.

khub eval run
khub eval run gold.jsonl --documents manuals
khub eval run samples --graph query --ingest ingest_fast --out eval/results
khub eval run --compare query more/query_llm
khub eval run --collection demo
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from khub.eval.commands.shared import SAMPLES, SetsArgument
from khub.eval.run.run_report import RunReport

if TYPE_CHECKING:
    from khub.eval.run.golden_set import GoldenSet

DEFAULT_GRAPH = "query"


def run_evaluation(  # noqa: PLR0913, PLR0917 - each is an option of the command
    named: SetsArgument = None,
    sets: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME", help="The same as the argument; may be repeated.")
    ] = None,
    documents: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The documents that the sets are about.",
            show_default="eval/samples; with --collection, the folder of its files",
        ),
    ] = None,
    collection: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Ask this collection of the hub as it is, with the questions that are about its documents; the set "
            "is by default the hub's own, $KHUB_HOME/eval/golden.jsonl.",
            show_default="one that is filled from the documents",
        ),
    ] = None,
    graphs: Annotated[
        list[str] | None, typer.Option("--graph", metavar="NAME", help="Graph of kind 'query'; may be repeated.")
    ] = None,
    ingest: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Graph that fills the collection, in place of the one that fits each --graph."
        ),
    ] = None,
    judge: Annotated[
        str | None, typer.Option(metavar="NAME", help="Graph of kind 'evaluate' with a judge, in place of 'evaluate'.")
    ] = None,
    compare: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="A B",
            help="Compare B with A, question by question: graphs, or earlier reports (FOLDER, or FOLDER#GRAPH).",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Where report.json, .md, .html and history.jsonl go; the run's folder by default."
        ),
    ] = None,
    resume: Annotated[
        bool | None,
        typer.Option(
            "--resume/--fresh",
            help="Take up the last run of the same things even if it is whole, or start anew. By default a run that "
            "was stopped is gone on with.",
            show_default=False,
        ),
    ] = None,
    top_k: Annotated[int, typer.Option(min=1, max=100, metavar="N", help="Citations asked for.")] = 10,
) -> None:
    """Ask graphs the questions of golden sets in a collection of their own, and report how well they answer."""
    from khub.eval.run.evaluation import Plan, evaluate
    from khub.eval.run.golden_set import golden_sets
    from khub.eval.run.markdown import table_text
    from khub.eval.run.report import write_report
    from khub.eval.run.tables import overall
    from khub.server.commands.progress import progress
    from khub.server.terminal import tell, write_text
    from khub.server.traces.app_log import configure_logging

    configure_logging()
    names, pairs = _chosen(graphs or [], compare)
    sets = [*(named or []), *(sets or [])]
    if collection is not None and ingest is not None:
        raise typer.BadParameter("a collection that is there is not filled", param_hint="--ingest")
    if collection is None:
        chosen, start = golden_sets(sets), Path(os.path.abspath(documents or SAMPLES))  # noqa: PTH100
    else:
        chosen, start = _about_own(sets, documents, collection)
    plan = Plan(chosen, start, names, ingest, judge, pairs, top_k, collection)
    folder, report = evaluate(plan, resume, progress)
    files = write_report((out or folder.path).absolute(), report)
    write_text("\n\n".join([table_text(overall(report)), *_compared(report)]))
    for file in files:
        tell("written", str(file))


def _about_own(sets: list[str], documents: Path | None, collection: str) -> "tuple[list[GoldenSet], Path]":
    """Return the questions about a collection, and the folder that they name its files from."""
    from khub.eval.run.golden_set import golden_sets
    from khub.eval.run.own_collection import documents_of, folder_of, sets_about
    from khub.eval.synth.growing_set import set_file
    from khub.server.terminal import tell

    folder = Path(os.path.abspath(documents)) if documents else folder_of(collection)  # noqa: PTH100
    known = documents_of(collection, folder)
    chosen, left_out = sets_about(golden_sets(sets or [str(set_file(None))]), list(known))
    if left_out:
        tell(f"{left_out} questions about other documents are left out")
    return chosen, folder


def _chosen(graphs: list[str], compare: tuple[str, str] | None) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the graphs to ask, and what is compared: the first with each other one where nothing is said."""
    if compare is None:
        names = list(dict.fromkeys(graphs)) or [DEFAULT_GRAPH]
        return names, [(names[0], other) for other in names[1:]]
    if compare[0] == compare[1]:
        raise typer.BadParameter(f"{compare[0]!r} is compared with itself", param_hint="--compare")
    named = [name for name in compare if not _is_report(name)]
    names = list(dict.fromkeys([*graphs, *named])) or [DEFAULT_GRAPH]
    return names, [compare]


def _is_report(name: str) -> bool:
    from khub.eval.run.comparison import REPORT

    path = Path(name.partition("#")[0]).expanduser()
    return (path / REPORT).is_file() or path.suffix == ".json"


def _compared(report: RunReport) -> list[str]:
    from khub.eval.run.markdown import table_text
    from khub.eval.run.tables import comparison

    parts = []
    for compared in report["comparisons"]:
        rows = [row for row in compared["rows"] if row["group"] == "all"]  # the languages stand in the report
        table = table_text(comparison({**compared, "rows": rows}))
        parts.append(f"A = {compared['a']}, B = {compared['b']}\n\n{table}")
    return parts
