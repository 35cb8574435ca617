"""The hub beside LangChain and plain Haystack, on the same data in the same run.

python -m khub.eval.lab.comparison --sizes 1000,10000,100000
"""

import importlib.util
import sys
from pathlib import Path
from typing import Annotated

import typer

from khub.components.errors import EvaluationError, KhubError, MissingLibraryError, OptionError
from khub.components.extras import install_extra

RESULTS = Path(__file__).parents[2] / "results"
SYSTEMS = ("hub", "langchain", "haystack")
MEASURES = ("files", "ingest", "cold", "query")
LANGCHAIN = ("langchain-chroma", "langchain-classic", "langchain-community", "rank-bm25")
REMEDY = f"install the extra: {install_extra('bench')}"
TOP_K = 10
SEED = 7


def bench(
    sizes: Annotated[
        str, typer.Option(metavar="N,N…", help="Numbers of generated chunks, half English, half Chinese.")
    ] = "1000,10000,100000",
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where bench.md and bench.json go.")] = RESULTS,
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
    from khub.components.home import hub_home
    from khub.eval.lab.comparison.report import markdown
    from khub.eval.lab.comparison.results import Results
    from khub.eval.lab.comparison.run import Runner
    from khub.eval.run.files import write_file
    from khub.server.terminal import tell, write_line

    systems, measures = _chosen(only)
    if "langchain" in systems:
        _require_langchain()
    numbers = _sizes(sizes)
    target = out.absolute()
    results = Results(target, {"queries": queries, "top_k": TOP_K, "seed": SEED}, resume)
    runner = Runner(results, hub_home() / "bench" / "work", tell)
    try:
        for size in numbers:
            runner.run(size, systems, measures)
    finally:  # what was measured before Ctrl-C is reported, too
        write_file(target / "bench.md", markdown(results.value))
        write_line(str(target / "bench.md"))
    if runner.failed:
        raise EvaluationError(f"these measurements failed: {', '.join(runner.failed)}", "see above, then use --resume")


def _sizes(text: str) -> list[int]:
    sizes = [part.strip() for part in text.split(",") if part.strip()]
    if not sizes or not all(size.isdecimal() and int(size) > 1 for size in sizes):
        raise OptionError(f"--sizes is {text!r}", "name numbers of chunks from 2 on, such as 1000,10000")
    return sorted({int(size) for size in sizes})


def _chosen(only: str) -> tuple[list[str], list[str]]:
    """Return systems and measurements; all of a kind of which none is named."""
    names = [name.strip() for name in only.split(",") if name.strip()]
    if unknown := [name for name in names if name not in SYSTEMS + MEASURES]:
        raise OptionError(f"--only names {unknown[0]!r}", f"choose from {', '.join(SYSTEMS + MEASURES)}")
    systems = [name for name in SYSTEMS if name in names] or list(SYSTEMS)
    measures = [name for name in MEASURES if name in names] or list(MEASURES)
    return systems, measures


def _require_langchain() -> None:
    missing = [name for name in LANGCHAIN if importlib.util.find_spec(name.replace("-", "_")) is None]
    if missing:
        raise MissingLibraryError(
            f"langchain cannot be measured, for Python packages are not installed: {', '.join(missing)}",
            f"{REMEDY}, or leave it out: --only hub,haystack",
            code="evaluation_failed",
        )


if __name__ == "__main__":
    try:
        typer.run(bench)
    except KhubError as error:
        sys.exit(f"{error}")
