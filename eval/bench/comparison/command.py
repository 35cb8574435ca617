"""`khub bench`: the hub beside LangChain and plain Haystack, on the same data in the same run.

    khub bench --sizes 1000,10000,100000
    khub bench --folder MY-FILES --out /tmp/bench

`python -m eval.bench.comparison.command` is the same command.
"""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from components.errors import KhubError, MissingLibraryError

RESULTS = Path(__file__).parents[2] / "results"
SYSTEMS = ("hub", "langchain", "haystack")
MEASURES = ("files", "ingest", "cold", "query")
LIBRARIES = {
    "langchain": ("langchain-chroma", "langchain-classic", "langchain-community", "rank-bm25"),
    "plots": ("matplotlib",),
}
REMEDY = 'install the extra: pip install -e ".[bench]" -c constraints.txt'
TOP_K = 10
SEED = 7


def bench(
    sizes: Annotated[
        str, typer.Option(metavar="N,N…", help="Numbers of generated chunks, half English, half Chinese.")
    ] = "1000,10000,100000",
    folder: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Measure with the files of this folder instead.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Where bench.md, bench.json and bench-*.svg go: by default eval/results of the repository; where "
            "there is none, and with --folder, the folder bench in the hub's data folder.",
            show_default=False,
        ),
    ] = None,
    only: Annotated[
        str,
        typer.Option(
            metavar="NAME,NAME…",
            help="Only these systems (hub, langchain, haystack) and measurements (files, ingest, cold, query).",
        ),
    ] = "",
    queries: Annotated[int, typer.Option(min=1, metavar="N", help="Questions to time.")] = 200,
    resume: Annotated[bool, typer.Option("--resume", help="Skip what bench.json in --out has already.")] = False,
) -> None:
    """Measure cold start, ingest, queries, memory and disk, beside LangChain and plain Haystack on the same data."""
    from components.home import hub_home
    from eval.bench.comparison.data_set import DataSet
    from eval.bench.comparison.results import Results
    from eval.bench.comparison.run import Runner
    from server.commands.output import tell, write_line

    systems, measures = _chosen(only)
    _require(systems)
    if folder is None:
        data_sets = [DataSet(str(size), size, None) for size in _sizes(sizes)]
    else:
        data_sets = [DataSet(_existing(folder).name or "root", 0, _existing(folder))]
    own = RESULTS.is_dir() and folder is None  # an installed package has no folder of results
    target = (out or (RESULTS if own else hub_home() / "bench")).absolute()
    settings = {"queries": queries, "top_k": TOP_K, "seed": SEED}
    runner = Runner(Results(target, settings, resume), hub_home() / "bench" / "work", tell)
    try:
        for data in data_sets:
            runner.run(data, systems, measures)
    finally:  # what was measured before Ctrl-C is reported, too
        write_line(str(_report(target, runner.results.value, tell)))
    if runner.failed:
        raise KhubError(f"these measurements failed: {', '.join(runner.failed)}", "see above, then use --resume")


def main() -> None:
    """Run the command; errors of the hub are one line."""
    try:
        typer.run(bench)
    except KhubError as error:
        sys.exit(f"{error}")


def _report(target: Path, results: dict[str, Any], tell: Callable[..., None]) -> Path:
    from eval.bench.comparison.plots import draw_plots
    from eval.bench.comparison.report import write_report

    plots: list[str] = []
    if missing := _missing("plots"):
        tell("no plots are drawn", f"the Python package {missing[0]} is not installed", REMEDY)
    else:
        plots = draw_plots(target, results)
    return write_report(target, results, plots)


def _sizes(text: str) -> list[int]:
    sizes = [part.strip() for part in text.split(",") if part.strip()]
    if not sizes or not all(size.isdecimal() and int(size) > 1 for size in sizes):
        raise KhubError(f"--sizes is {text!r}", "name numbers of chunks from 2 on, such as 1000,10000")
    return sorted({int(size) for size in sizes})


def _chosen(only: str) -> tuple[list[str], list[str]]:
    """Return systems and measurements; all of a kind of which none is named."""
    names = [name.strip() for name in only.split(",") if name.strip()]
    if unknown := [name for name in names if name not in SYSTEMS + MEASURES]:
        raise KhubError(f"--only names {unknown[0]!r}", f"choose from {', '.join(SYSTEMS + MEASURES)}")
    systems = [name for name in SYSTEMS if name in names] or list(SYSTEMS)
    measures = [name for name in MEASURES if name in names] or list(MEASURES)
    return systems, measures


def _existing(folder: Path) -> Path:
    if not folder.is_dir():
        raise KhubError(f"there is no folder {folder}", "name a folder with files after --folder")
    return folder.resolve()


def _require(systems: list[str]) -> None:
    for name in systems:
        if missing := _missing(name):
            raise MissingLibraryError(
                f"khub bench cannot measure {name}, for Python packages are not installed: {', '.join(missing)}",
                f"{REMEDY}, or leave it out: --only {','.join(other for other in SYSTEMS if other != name)}",
            )


def _missing(part: str) -> list[str]:
    return [name for name in LIBRARIES.get(part, ()) if importlib.util.find_spec(name.replace("-", "_")) is None]


if __name__ == "__main__":
    main()
