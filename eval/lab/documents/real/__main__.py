"""How real pages are read: `python -m khub.eval.lab.documents.real DIR… --out eval/results`."""

import json
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from khub.components.errors import KhubError, OptionError
from khub.eval.lab.documents.real.measure import measure, summary
from khub.eval.lab.documents.real.page_engines import ENGINES
from khub.eval.lab.documents.real.written_page import read_pages
from khub.eval.lab.documents.report import markdown_table
from khub.eval.machine import machine
from khub.eval.run.files import write_file

REPORT = """# How real pages are read

    {command}

{machine}, {day}.

{pages} pages of {documents} PDFs of other people (reports, statements, forms, manuals, papers, slides; Chinese and
English), drawn by lot, three of four among pages with many numbers. What stands on each was written down by looking at
its picture (`eval/lab/documents/real/pages`); half of the documents, by the hash of their names, chose the rules
(`choose`), the other half measures alone (`measure`). **rows right**: one row that came out has the same cells in the
same order; a row of one cell, or of a label and its value, may stand as a line of its own.
**cells right**: in the row that shares most. **label beside number**: both in one row or line, without
another row's label. **fused**: a row that came out holds labels and numbers of several. **headings**: by their text.
**words lost**: words of the text layer, running heads left out, that stand nowhere on the page as it came out.
**out of place**: blocks that would have to move.

{tables}
"""


def real(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", exists=True, file_okay=False)],
    engine: Annotated[list[str] | None, typer.Option(help=f"One of {', '.join(ENGINES)}; repeatable.")] = None,
    half: Annotated[str | None, typer.Option(help="choose or measure; both if left out.")] = None,
    each: Annotated[bool, typer.Option("--each", help="Print a line for each page, too.")] = False,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Write real-pages.md here.")] = None,
) -> None:
    """Read pages whose content was written down, and compare."""
    pages = [page for page in read_pages() if half in (None, page.half)]

    def find(document: str) -> Path | None:
        return next((file for folder in folders if (file := folder / f"{document}.pdf").is_file()), None)

    sections = []
    for name in engine or ["khub"]:
        rows = measure(pages, find, ENGINES[name]())
        if not rows:
            raise OptionError("no folder has one of the documents", "name those that hold the PDFs")
        halves = {one: [row for row in rows if row["half"] == one] for one in ("choose", "measure")}
        figures = [{"engine": name, "half": one, **summary(part)} for one, part in halves.items() if part]
        sections.append(figures)
        for row in rows if each else ():
            typer.echo(json.dumps(row, ensure_ascii=False))
    table = markdown_table([row for figures in sections for row in figures])
    typer.echo(table)
    if out:
        options = " ".join(f"--engine {name}" for name in engine or ())
        command = (
            f"python -m khub.eval.lab.documents.real {' '.join(folder.name for folder in folders)} {options}".strip()
        )
        documents = len({page.document for page in pages if find(page.document)})
        about = {"command": command, "machine": machine(), "day": time.strftime("%Y-%m-%d")}
        text = REPORT.format(**about, pages=len(pages), documents=documents, tables=table)
        write_file(out / "real-pages.md", text)


if __name__ == "__main__":
    try:
        typer.run(real)
    except KhubError as error:
        sys.exit(f"{error}")
