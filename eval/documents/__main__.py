"""How well PDF files are read: `python -m eval.documents --help`."""

import fnmatch
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from components.errors import KhubError
from components.home import hub_home
from eval.documents.model import Document

app = typer.Typer(add_completion=False, no_args_is_help=False)
WorkOption = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Where files go.", show_default="$KHUB_HOME/eval/documents")
]


FolderArgument = Annotated[Path, typer.Argument(metavar="DIR", exists=True, file_okay=False)]
OutOption = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Write documents.md and documents.json here; other parts stay.")
]


@app.callback(invoke_without_command=True)
def documents(
    context: typer.Context,
    work: WorkOption = None,
    name: Annotated[list[str] | None, typer.Option(metavar="PATTERN", help="Documents, as zh-*; repeatable.")] = None,
    engine: Annotated[list[str] | None, typer.Option(help="khub or markitdown; repeatable.")] = None,
    renderer: Annotated[list[str] | None, typer.Option(help="chromium or libreoffice; repeatable.")] = None,
    each: Annotated[bool, typer.Option("--each", help="The figures of each document, too.")] = False,
    out: OutOption = None,
) -> None:
    """Print generated documents as PDF, read them back and compare; without a command."""
    if context.invoked_subcommand:
        return
    from eval.documents import report
    from eval.documents.engines import ENGINES
    from eval.documents.render import RENDERERS
    from eval.documents.run import measure

    rows, reasons = measure(
        chosen_documents(name), known(renderer, RENDERERS), known(engine, ENGINES), work_folder(work)
    )
    for reason in reasons:
        typer.echo(reason, err=True)
    text = report.structure_report(rows)
    typer.echo(text + ("\n\n" + report.markdown_table(report.each(rows)) if each else ""))
    typer.echo(f"\nWhat each engine wrote: {work_folder(work) / 'read'}", err=True)
    write_section(out, "structure", text, {"summary": report.summary(rows), "documents": report.each(rows)})


@app.command()
def generate(
    work: WorkOption = None, name: Annotated[list[str] | None, typer.Option(metavar="PATTERN")] = None
) -> None:
    """Write the generated documents as Markdown, their truth, and print nothing as PDF."""
    from eval.documents.markdown import to_markdown

    folder = work_folder(work) / "truth"
    folder.mkdir(parents=True, exist_ok=True)
    for document in chosen_documents(name):
        (folder / f"{document.name}.md").write_text(to_markdown(document), encoding="utf-8", newline="\n")
        typer.echo(folder / f"{document.name}.md")


@app.command()
def speed(files: Annotated[list[Path], typer.Argument(metavar="FILE...", exists=True)], out: OutOption = None) -> None:
    """Pages a second of both engines, one process, the best of three runs of the hub's reader; then its pool of two."""
    from eval.documents.report import markdown_table
    from eval.documents.speed import measure_speed

    rows = measure_speed(files)
    typer.echo(markdown_table(rows))
    write_section(out, "speed", markdown_table(rows), rows)


@app.command()
def pages(folder: FolderArgument, out: OutOption = None) -> None:
    """Read every PDF file of a folder: pages, seconds, memory, words found, crashes, hangs."""
    from eval.documents.folder import read_pages
    from eval.documents.folder_report import pages_report

    rows = told(read_pages(folder))
    typer.echo(pages_report(rows))
    write_section(out, "pages", pages_report(rows), rows)


@app.command()
def bad(folder: FolderArgument, out: OutOption = None) -> None:
    """Read every file of a folder, damaged ones, too: read, or a failure and its message."""
    from eval.documents.folder import read_all
    from eval.documents.folder_report import bad_report

    rows = told(read_all(folder))
    typer.echo(bad_report(rows))
    write_section(out, "bad", bad_report(rows), rows)


def chosen_documents(patterns: list[str] | None) -> list[Document]:
    """Return the generated documents whose names fit one of the patterns."""
    from eval.documents.generate import generate as all_documents

    chosen = [
        document
        for document in all_documents()
        if not patterns or any(fnmatch.fnmatch(document.name, pattern) for pattern in patterns)
    ]
    if not chosen:
        raise KhubError(
            f"no document is called {', '.join(patterns or [])}", "run the command generate to see all names"
        )
    return chosen


def known(given: list[str] | None, names: Iterable[str]) -> list[str]:
    """Return the names that are given, or all.

    :raises KhubError: for one that there is not.
    """
    wrong = sorted(set(given or ()) - set(names))
    if wrong:
        raise KhubError(f"{wrong[0]!r} is not known", f"give one of {', '.join(names)}")
    return given or list(names)


def work_folder(work: Path | None) -> Path:
    """Return the folder for what is made."""
    return (work or hub_home() / "eval" / "documents").absolute()


def told(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return all rows; each is told as it comes."""
    listed = []
    for row in rows:
        typer.echo(f"{row['outcome']:8}{row.get('seconds', 0):8.1f} s  {row['file']}", err=True)
        listed.append(row)
    return listed


def write_section(out: Path | None, section: str, text: str, data: Any) -> None:
    """Write one part of the results beside the others, with the command and the machine."""
    if out:
        from eval.documents.results import write_results

        write_results(out, section, text, data, shown_command(sys.argv[1:]))


def shown_command(arguments: list[str]) -> str:
    """Return the command as the results show it: paths of this machine tell nobody else anything, names may."""
    names = (Path(argument).name if Path(argument).is_absolute() else argument for argument in arguments)
    return shlex.join(["python", "-m", "eval.documents", *names])


def main() -> None:
    """Run the command; errors of the hub are one line."""
    try:
        app(prog_name="python -m eval.documents")
    except KhubError as error:
        sys.exit(f"{error}")


if __name__ == "__main__":
    main()
