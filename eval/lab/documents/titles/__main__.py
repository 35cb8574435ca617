"""Whether documents get titles that say which they are: `python -m khub.eval.lab.documents.titles DIR…`."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from khub.components.errors import KhubError, OptionError
from khub.eval.lab.documents.report import markdown_table
from khub.eval.lab.documents.titles.judged import FURTHER, read_judged
from khub.eval.lab.documents.titles.measure import measure, shares
from khub.eval.machine import machine
from khub.eval.run.files import write_file

REPORT = """# Titles of documents

    {command}

{machine}, {day}.

{files} documents of other people (reports, statements, manuals, papers, forms, slides, office folders, pages; English,
Chinese and others) are read as the default ingest graph does, but for OCR. Before any rule was written, the first page
of each was looked at and what a reader would call it was written down (`eval/lab/documents/titles/titles.jsonl`).
**usable**: the title holds one of those, and at most {further} further words; letters and digits count alone, two
Chinese characters are a word; the file's name counts where no title is found. Half of the documents, by the hash of
their names, chose the rules (`choose`); the other half measures alone.

{shares}

## Titles of the choosing half that are not usable

{unusable}
"""


def titles(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", exists=True, file_okay=False)],
    half: Annotated[str | None, typer.Option(help="choose or measure; both if left out.")] = None,
    each: Annotated[bool, typer.Option("--each", help="Print each title of the choosing half, too.")] = False,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the tables and the command here.")] = None,
) -> None:
    """Print the share of usable titles, and each title of the choosing half that is not."""
    rows = measure(folders, [one for one in read_judged() if half in (None, one.half)])
    if not rows:
        raise OptionError("no folder has one of the documents", "name those that hold them")
    shown = [row for row in rows if row["half"] == "choose" and (each or not row["usable"])]
    tables = {"shares": markdown_table(shares(rows)), "unusable": markdown_table(shown)}
    for table in tables.values():
        typer.echo(table + "\n")
    if out:
        command = f"python -m khub.eval.lab.documents.titles {' '.join(folder.name for folder in folders)}"
        about = {"command": command, "machine": machine(), "day": datetime.now(UTC).date().isoformat()}
        write_file(out, REPORT.format(**about, files=len(rows), further=FURTHER, **tables))


if __name__ == "__main__":
    try:
        typer.run(titles)
    except KhubError as error:
        sys.exit(f"{error}")
