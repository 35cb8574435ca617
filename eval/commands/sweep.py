"""`khub eval sweep`: try values of a graph's parameters on golden sets.

khub eval sweep --graph query --set dense.top_k=10,20,50 --set rank.sparse_weight=0.3,0.5,0.8
khub eval sweep --ingest ingest_fast --set split.chunk_size=400,800 --golden samples
"""

from pathlib import Path
from typing import Annotated

import typer

from khub.eval.commands.shared import SAMPLES, DocumentsOption, SetsArgument


def sweep_parameters(
    settings: Annotated[
        list[str],
        typer.Option(
            "--set",
            metavar="PATH=VALUES",
            help="COMPONENT.PARAMETER and its values, such as dense.top_k=10,20; with several, every combination is "
            "tried. A component that the query graph does not have is one of the ingest graph.",
        ),
    ],
    named: SetsArgument = None,
    graph: Annotated[str, typer.Option(metavar="NAME", help="Graph of kind 'query'.")] = "query",
    golden: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="The same as the argument; may be repeated."),
    ] = None,
    documents: DocumentsOption = SAMPLES,
    ingest: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Graph that fills the collection.", show_default="the one that fits"),
    ] = None,
    metric: Annotated[str, typer.Option(metavar="NAME", help="What the winner is best at.")] = "ndcg@10",
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Where sweep.json, .md, .svg and winner.diff go.",
            show_default="a folder in $KHUB_HOME/eval/sweeps",
        ),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure anew what has been measured already.")] = False,
    top_k: Annotated[int, typer.Option(min=1, max=100, metavar="N", help="Citations asked for.")] = 10,
) -> None:
    """Try values of a graph's parameters, and show the best as a change of its file; goes on after a stop."""
    from khub.eval.run.golden_set import golden_sets
    from khub.eval.run.markdown import table_text
    from khub.eval.sweep.parameter_path import read_settings
    from khub.eval.sweep.report import main_table, other_table, verdict, winner_diff, write_sweep
    from khub.eval.sweep.sweep import SweepPlan, sweep, sweep_folder
    from khub.server.commands.progress import progress
    from khub.server.terminal import tell, write_text
    from khub.server.traces.app_log import configure_logging

    configure_logging()
    folder = documents.expanduser().absolute()
    plan = SweepPlan(
        read_settings(settings), graph, ingest, golden_sets([*(named or []), *(golden or [])]), folder, metric, top_k
    )
    report = sweep(plan, not fresh, progress)
    files = write_sweep((out or sweep_folder(plan)).absolute(), report)
    parts = [table_text(main_table(report)), table_text(other_table(report)), verdict(report), winner_diff(report)]
    write_text("\n\n".join(part for part in parts if part))
    for file in files:
        tell("written", str(file))
