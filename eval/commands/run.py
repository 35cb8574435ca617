"""`khub eval run`: ask graphs the questions of golden sets, and report how well they answer.

khub eval run
khub eval run --set samples --graph query --ingest ingest_fast --out eval/results
khub eval run --compare query more/query_llm
"""

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from eval.commands.shared import SAMPLES, DocumentsOption

DEFAULT_GRAPH = "query"


def run_evaluation(
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME", help="Golden set: a name in eval/golden, or a .jsonl file; all of them by default."
        ),
    ] = None,
    documents: DocumentsOption = SAMPLES,
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
    from eval.run.evaluation import Plan, evaluate
    from eval.run.golden_set import golden_sets
    from eval.run.markdown import table_text
    from eval.run.report import write_report
    from eval.run.tables import overall
    from server.commands.output import tell, write_text
    from server.commands.progress import progress
    from server.traces.app_log import configure_logging

    configure_logging()
    names, pairs = _chosen(graphs or [], compare)
    plan = Plan(golden_sets(sets or []), Path(os.path.abspath(documents)), names, ingest, judge, pairs, top_k)  # noqa: PTH100
    folder, report = evaluate(plan, resume, progress)
    files = write_report((out or folder.path).absolute(), report)
    write_text("\n\n".join([table_text(overall(report)), *_compared(report)]))
    for file in files:
        tell("written", str(file))


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
    from eval.run.comparison import REPORT

    path = Path(name.partition("#")[0]).expanduser()
    return (path / REPORT).is_file() or path.suffix == ".json"


def _compared(report: dict[str, Any]) -> list[str]:
    from eval.run.markdown import table_text
    from eval.run.tables import comparison

    parts = []
    for compared in report["comparisons"]:
        rows = [row for row in compared["rows"] if row["group"] == "all"]  # the languages stand in the report
        table = table_text(comparison({**compared, "rows": rows}))
        parts.append(f"A = {compared['a']}, B = {compared['b']}\n\n{table}")
    return parts
