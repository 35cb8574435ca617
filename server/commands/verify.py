"""`khub verify`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from khub.components.catalog.parts import shown_name
from khub.components.text.place_words import in_the_file
from khub.server.commands.options import CollectionOption, JsonOption
from khub.server.terminal import count, tell, write_json, write_line

if TYPE_CHECKING:
    from khub.components.verification import JudgedClaim

NAMES = {"agrees": "agrees", "differs": "differs", "not_found": "not found"}


def verify(
    text: Annotated[
        str | None,
        typer.Argument(metavar="[TEXT]", help="What to check; - reads it from standard input.", show_default=False),
    ] = None,
    file: Annotated[
        Path | None, typer.Option(metavar="F", help="Check the text of this file instead.", show_default=False)
    ] = None,
    collection: CollectionOption = None,
    graph: Annotated[str, typer.Option(metavar="NAME", help="Graph of kind 'verify'.")] = "verify",
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 unless every claim agrees.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Compare each claim of a text with the documents: agrees, differs or not found."""
    if (text is None) == (file is None):
        raise typer.BadParameter("give TEXT or --file, one of the two", param_hint="TEXT")

    from khub.components.value import as_json as json_of
    from khub.server.hub import Hub
    from khub.server.traces.app_log import configure_logging

    configure_logging()
    found = Hub().verify(_text(text, file), collection, graph)
    for entry in found.degraded:
        tell(f"degraded: {entry.stage}", entry.reason)
    if as_json:
        write_json(json_of(found))
    else:
        for claim in found.claims:
            _show(claim)
        counted = ", ".join(f"{found.summary[verdict]} {name}" for verdict, name in NAMES.items())
        write_line(f"{count(len(found.claims), 'claim')}: {counted}")
    if strict and found.summary["agrees"] < len(found.claims):
        raise typer.Exit(1)


def _text(text: str | None, file: Path | None) -> str:
    if file is None:
        return sys.stdin.read() if text == "-" else str(text)
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"{file} cannot be read as UTF-8 text ({error})", param_hint="--file") from error


def _show(claim: "JudgedClaim") -> None:
    write_line(f"{NAMES[claim.verdict]:<9} {claim.confidence:.2f}  {claim.claim}")
    write_line(f"    {claim.reason}")
    for citation in claim.citations:
        page = in_the_file(citation.page, citation.time_mark)
        place = citation.section or citation.title
        write_line(f"    [{citation.id}] {shown_name(citation.source)}{page}: {place}")
        write_line(f"        {citation.evidence}")
    write_line()
