"""How well PDF files are read: `python -m khub.eval.lab.documents --out eval/results`."""

import fnmatch
import json
import shlex
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from khub.components.errors import KhubError, OptionError
from khub.components.home import hub_home
from khub.eval.lab.documents.model import Document
from khub.eval.machine import machine
from khub.eval.run.files import write_file


def documents(
    work: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where files go.", show_default="$KHUB_HOME/eval/documents")
    ] = None,
    name: Annotated[list[str] | None, typer.Option(metavar="PATTERN", help="Documents, as zh-*; repeatable.")] = None,
    engine: Annotated[list[str] | None, typer.Option(help="khub or markitdown; repeatable.")] = None,
    renderer: Annotated[list[str] | None, typer.Option(help="chromium or libreoffice; repeatable.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Write documents.md and documents.json here.")] = None,
) -> None:
    """Print generated documents as PDF, read them back and compare."""
    from khub.eval.lab.documents import report
    from khub.eval.lab.documents.engines import ENGINES
    from khub.eval.lab.documents.render import RENDERERS
    from khub.eval.lab.documents.run import measure

    folder = (work or hub_home() / "eval" / "documents").absolute()
    rows, reasons = measure(chosen_documents(name), known(renderer, RENDERERS), known(engine, ENGINES), folder)
    for reason in reasons:
        typer.echo(reason, err=True)
    text = report.structure_report(rows)
    typer.echo(text)
    typer.echo(f"\nWhat each engine wrote: {folder / 'read'}", err=True)
    if out:
        about = {"command": _command(sys.argv[1:]), "machine": machine(), "date": time.strftime("%Y-%m-%d")}
        data = {**about, "summary": report.summary(rows), "documents": report.each(rows)}
        write_file(out / "documents.json", json.dumps(data, indent=1, ensure_ascii=False) + "\n")
        head = [report.TITLE, f"    {about['command']}", f"{about['machine']}, {about['date']}."]
        write_file(out / "documents.md", "\n\n".join([*head, text]) + "\n")


def chosen_documents(patterns: list[str] | None) -> list[Document]:
    """Return the generated documents whose names fit one of the patterns."""
    from khub.eval.lab.documents.generate import generate as all_documents

    made = all_documents()
    chosen = [one for one in made if not patterns or any(fnmatch.fnmatch(one.name, pattern) for pattern in patterns)]
    if not chosen:
        raise OptionError(f"no document is called {', '.join(patterns or [])}", f"the first one is {made[0].name}")
    return chosen


def known(given: list[str] | None, names: Iterable[str]) -> list[str]:
    """Return the names that are given, or all.

    :raises KhubError: for one that there is not.
    """
    wrong = sorted(set(given or ()) - set(names))
    if wrong:
        raise OptionError(f"{wrong[0]!r} is not known", f"give one of {', '.join(names)}")
    return given or list(names)


def _command(arguments: list[str]) -> str:
    """Return the command as the results show it: paths of this machine tell nobody else anything, names may."""
    names = (Path(argument).name if Path(argument).is_absolute() else argument for argument in arguments)
    return shlex.join(["python", "-m", "khub.eval.lab.documents", *names])


if __name__ == "__main__":
    try:
        typer.run(documents)
    except KhubError as error:
        sys.exit(f"{error}")
