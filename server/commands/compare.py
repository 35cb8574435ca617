"""`khub compare`."""

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from khub.components.catalog.parts import shown_name
from khub.components.text.place_words import in_the_file
from khub.server.commands.options import CollectionOption, JsonOption
from khub.server.terminal import tell, write_json, write_line, write_table

if TYPE_CHECKING:
    from khub.server.questions.comparison import ComparedResult, ComparedRun, Comparison, Comparisons

BEGINNING = 60  # characters of a result that shares its place with others


def compare(
    names: Annotated[
        list[str],
        typer.Argument(metavar="[TEXT] GRAPH_A GRAPH_B", help="The question (- reads standard input), and two graphs."),
    ],
    file: Annotated[
        Path | None, typer.Option(metavar="F", help="Ask the questions of this file, one a line.", show_default=False)
    ] = None,
    collection: CollectionOption = None,
    top_k: Annotated[int, typer.Option("--top-k", "-k", metavar="N", min=1, help="Results to compare.")] = 10,
    filters: Annotated[
        list[str] | None, typer.Option("--filter", metavar="EXPR", help="As in khub query; may be repeated.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Ask two query graphs the same, and show what each finds and where."""
    if len(names) != (2 if file else 3):
        wanted = "two graphs with --file" if file else "a question and two graphs"
        raise typer.BadParameter(f"give {wanted}, not {len(names)} names", param_hint="[TEXT] GRAPH_A GRAPH_B")
    *texts, first, second = names

    from khub.components.value import as_json as json_of
    from khub.server.library.filter_text import parse_filters
    from khub.server.questions.compare import compare as compare_graphs
    from khub.server.questions.compare import compare_all
    from khub.server.traces.app_log import configure_logging

    configure_logging()
    kept = parse_filters(filters or [])
    if file is None:
        question = sys.stdin.read() if texts[0] == "-" else texts[0]
        found = compare_graphs(question, (first, second), collection, top_k, kept)
        write_json(json_of(found)) if as_json else _show(found)
        return
    from khub.server.commands.progress import progress

    questions = _questions(file)
    with progress(f"{first}, {second}", "questions") as report:
        all_found = compare_all(
            questions, (first, second), collection, top_k, kept, lambda done: report(done, len(questions), "")
        )
    write_json(json_of(all_found)) if as_json else _show_all(all_found)
    if all_found.summary.failed:
        raise typer.Exit(1)


def _questions(file: Path) -> list[str]:
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"{file} cannot be read as UTF-8 text ({error})", param_hint="--file") from error
    questions = [line.strip() for line in lines if line.strip()]
    if not questions:
        raise typer.BadParameter(f"{file} holds no question", param_hint="--file")
    return questions


def _show(found: "Comparison") -> None:
    for run in found.graphs:
        _tell_degraded(run)
    names = [run.graph for run in found.graphs]
    columns = _different(names)
    places = _places(found.results)
    rows = [
        (*map(_rank, result.ranks), _moved(result), place) for result, place in zip(found.results, places, strict=True)
    ]
    write_table((*columns, "moved", "result"), rows, right=(*columns, "moved"))
    write_line()
    runs = [_run(run, len(only)) for run, only in zip(found.graphs, found.only, strict=True)]
    write_table(("graph", "results", "only here", "ms", "confidence", "degraded"), runs, right=("results", "only here"))
    write_line()
    write_line(f"overlap@{found.top_k} {found.overlap:.2f}, rank-biased overlap {found.rbo:.2f}")


def _show_all(found: "Comparisons") -> None:
    from khub.server.questions.comparison import FailedQuestion

    rows = []
    for entry in found.questions:
        if isinstance(entry, FailedQuestion):
            tell(entry.query, entry.error)
            continue
        only = "+".join(str(len(ids)) for ids in entry.only)
        rows.append((f"{entry.overlap:.2f}", f"{entry.rbo:.2f}", entry.moved, only, entry.query))
    write_table(("overlap", "rbo", "moved", "only", "question"), rows, right=("overlap", "rbo", "moved"))
    summary = found.summary
    if summary.graphs is None:
        return
    write_line()
    runs = [(run.graph, run.median_ms, run.abstained, run.degraded) for run in summary.graphs]
    write_table(("graph", "median ms", "abstained", "degraded"), runs, right=("median ms", "abstained", "degraded"))
    write_line()
    write_line(
        f"{summary.questions} questions, {summary.failed} failed, {summary.same} with the same ranking, "
        f"{summary.first_differs} with another first result; mean overlap {summary.overlap:.2f}, "
        f"mean rank-biased overlap {summary.rbo:.2f}"
    )


def _tell_degraded(run: "ComparedRun") -> None:
    for entry in run.degraded:
        tell(f"degraded: {run.graph}: {entry.stage}", entry.reason)


def _different(names: list[str]) -> list[str]:
    return names if names[0] != names[1] else [f"{name} ({place})" for place, name in enumerate(names, start=1)]


def _rank(rank: int | None) -> str:
    return "-" if rank is None else str(rank)


def _moved(result: "ComparedResult") -> str:
    moved = result.moved
    if moved is None:
        return "only here"
    return f"{moved:+d}" if moved else "="


def _places(results: "list[ComparedResult]") -> list[str]:
    """Return where each result is; where several are in one place, with the beginning of what each says there."""
    places = list(map(_where, results))
    often = Counter(places)
    return [
        place if often[place] == 1 else f"{place}: {_beginning(result)}"
        for place, result in zip(places, results, strict=True)
    ]


def _beginning(result: "ComparedResult") -> str:
    words = " ".join((result.evidence or result.text).split())
    return words if len(words) <= BEGINNING else f"{words[:BEGINNING].rstrip()}…"


def _where(result: "ComparedResult") -> str:
    page = in_the_file(result.page, result.time_mark)
    place = result.section or result.title
    return f"{shown_name(result.source)}{page}: {place}"


def _run(run: "ComparedRun", only: int) -> tuple[Any, ...]:
    milliseconds = f"{run.milliseconds():.0f}"
    degraded = ", ".join(entry.stage for entry in run.degraded)
    sure = "abstained" if run.abstained else f"{run.confidence:.2f}"
    return run.graph, run.results, only, milliseconds, sure, degraded
