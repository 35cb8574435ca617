"""Whether PDFs get a title that says which document it is: `python -m eval.lab.documents.titles DIR…`."""

import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any
from unittest.mock import patch

import typer

from components.catalog.catalog import open_catalog
from eval.bench.machine import machine
from eval.lab.documents.formats import quick_graph
from eval.lab.documents.report import markdown_table
from server.library.ingest import ingest
from server.library.source_walk import absolute

LONGEST = 200
"""In characters; what is longer is no title, whatever it holds."""
JUDGED = Path(__file__).with_name("titles.jsonl")
REPORT = """# Titles of PDFs

    {command}

{machine}, {day}.

PDFs of other people (reports, manuals, papers, forms, scans; English, Chinese and others) through
`pipelines/ingest.yaml` (khub-fast for khub-base, no OCR of the figures in documents). Before any rule was written,
the first page of each was looked at and the words that a usable title has to hold were written down
(`eval/lab/documents/titles.jsonl`: all words of one of the alternatives; letters and digits count alone). A title of
more than {longest} characters is none; the file's name counts where no title is found. Every other row, from the
first, chose the rules; the rest measured them.

{shares}

## Titles that are not usable

{unusable}
"""


def read_judged(path: Path = JUDGED) -> dict[str, list[list[str]]]:
    """Return the words that a usable title of each file has to hold: all of one of the lists."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {row["file"]: row["usable"] for row in rows}


def is_usable(title: str, alternatives: Sequence[Sequence[str]]) -> bool:
    """Whether a title holds all words of one of the alternatives, and is short enough to be one."""
    key = _key(title)
    holds = any(all(_key(words) in key for words in each) for each in alternatives)
    return holds and len(title) <= LONGEST


def measure(folders: Sequence[Path], judged: Mapping[str, list[list[str]]]) -> list[dict[str, Any]]:
    """Ingest the judged files into a hub of their own, and return file, title, half and whether it is usable.

    :param folders: searched for each file, in order.
    :param judged: from `read_judged`; files that no folder has are left out.
    """
    found = {name: absolute(str(path)) for name in judged if (path := next(_at(folders, name), None))}
    with tempfile.TemporaryDirectory() as home, patch.dict(os.environ, {"KHUB_HOME": home}):
        ingest([str(path) for path in found.values()], "titles", quick_graph(Path(home)))
        titles = {row["source"]: row["title"] for row in open_catalog().documents.of_collection("titles")}
    halves = {name: ("chose", "measured")[place % 2] for place, name in enumerate(judged)}
    # a document without a title is shown and embedded by the name of its file
    rows = [(name, titles.get(str(path)) or path.stem, halves[name]) for name, path in found.items()]
    return [
        {"file": name, "title": title, "half": half, "usable": is_usable(title, judged[name])}
        for name, title, half in rows
    ]


def shares(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return how many titles are usable, in each half and over all."""
    parts = {half: [row for row in rows if row["half"] == half] for half in ("chose", "measured")} | {"all": rows}
    counts = {half: (len(part), sum(row["usable"] for row in part)) for half, part in parts.items()}
    return [
        {"half": half, "files": files, "usable": usable, "share": round(usable / files, 3) if files else None}
        for half, (files, usable) in counts.items()
    ]


def _key(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _at(folders: Sequence[Path], name: str) -> Iterator[Path]:
    return (folder / name for folder in folders if (folder / name).is_file())


def titles(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", exists=True, file_okay=False)],
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the tables and the command here.")] = None,
) -> None:
    """Print the share of usable titles, and each title that is not."""
    rows = measure(folders, read_judged())
    tables = {
        "shares": markdown_table(shares(rows)),
        "unusable": markdown_table(
            [{"file": row["file"], "title": row["title"], "half": row["half"]} for row in rows if not row["usable"]]
        ),
    }
    for table in tables.values():
        typer.echo(table + "\n")
    if out:
        command = f"python -m eval.lab.documents.titles {' '.join(folder.name for folder in folders)} --out {out}"
        day = datetime.now(UTC).date().isoformat()
        report = REPORT.format(command=command, machine=machine(), day=day, longest=LONGEST, **tables)
        out.write_text(report, encoding="utf-8")


if __name__ == "__main__":
    typer.run(titles)
