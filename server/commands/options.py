"""Options that several commands have in common."""

from typing import Annotated

import typer

JSON_WANTED = "khub.json"


def _named(name: str | None) -> str | None:
    if name is not None and not name.strip():
        raise typer.BadParameter("the name is empty")
    refuse_undecodable(name or "")
    return name


def refuse_undecodable(text: str) -> None:
    """Refuse what was typed in bytes that are no text.

    :raises typer.BadParameter: if the text cannot be encoded as UTF-8.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise typer.BadParameter(f"{text!r} is not valid UTF-8") from error


def _note_json(context: typer.Context, wanted: bool) -> bool:
    context.meta[JSON_WANTED] = wanted  # errors outside the command are written as JSON, too
    return wanted


CollectionOption = Annotated[
    str | None,
    typer.Option("--collection", "-c", metavar="NAME", callback=_named, help="Collection; 'default' or the only one."),
]
AskedCollectionOption = Annotated[
    str | None,
    typer.Option("--collection", "-c", metavar="NAME", callback=_named, help="Collection; all of them if left out."),
]
JsonOption = Annotated[
    bool,
    typer.Option("--json", callback=_note_json, is_eager=True, help="Write one JSON value to standard output."),
]
AllowHostOption = Annotated[
    list[str] | None,
    typer.Option("--allow-host", metavar="NAME", help="Name by which clients reach this machine; may be repeated."),
]
NoIgnoreOption = Annotated[
    bool, typer.Option("--no-ignore", help="Take what a .gitignore leaves out of a folder, and node_modules, too.")
]
