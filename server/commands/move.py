"""`khub move`."""

import os
from typing import TYPE_CHECKING, Annotated

import typer

from khub.server.commands.options import JsonOption
from khub.server.terminal import tell, write_json, write_line, write_table

if TYPE_CHECKING:
    from khub.server.moving.move import Moved

FILE, FOLDER = "file", "folder"
DATABASE_VARIABLE, FILES_VARIABLE = "KHUB_DATABASE_URL", "KHUB_FILES"
LISTED = 5


def _place(given: str) -> str:
    if given != FILE and given.partition("://")[0] not in ("postgresql", "postgres"):
        raise typer.BadParameter(f"it is a database such as postgresql://khub@db.example/khub, or {FILE}")
    return given


def move_hub(
    to: Annotated[
        str,
        typer.Option(
            metavar="PLACE",
            callback=_place,
            help="For the catalog: a PostgreSQL, postgresql://user@host/name, or file: catalog.sqlite3 in $KHUB_HOME.",
        ),
    ],
    files: Annotated[
        str | None,
        typer.Option(
            metavar="PLACE",
            help="For the files of documents and pictures: an object store, s3://bucket/prefix, or folder: $KHUB_HOME; "
            "left out, they stay where they are.",
            show_default=False,
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Carry the whole hub to another place: from a file into PostgreSQL, and back.

    What is carried is the hub that KHUB_DATABASE_URL and KHUB_FILES name now, of which nothing is changed; KHUB_HOME
    stays. Nobody can write into it meanwhile; questions are answered. All rows and files are compared at the end, and
    before that the new place is no hub. Stopped half-way, it goes on when it is started again.

    Example: khub move --to postgresql://khub@db.example/khub --files s3://hub/files

    Example: khub move --to file --files folder
    """
    from khub.server.commands.progress import progress
    from khub.server.moving.move import move
    from khub.server.named_tokens import tokens_of_file
    from khub.server.traces.app_log import configure_logging

    configure_logging()
    before = {name: os.environ.get(name, "") for name in (DATABASE_VARIABLE, FILES_VARIABLE)}
    chosen = before[FILES_VARIABLE] if files is None else files
    after = {DATABASE_VARIABLE: "" if to == FILE else to, FILES_VARIABLE: "" if chosen == FOLDER else chosen}
    moved = move(after[DATABASE_VARIABLE], after[FILES_VARIABLE], progress)
    variables = {name: _without_password(value) for name, value in after.items()}
    if as_json:
        counts = {name: {"old": old, "new": new} for name, (old, new) in moved.counts.items()}
        write_json(
            {
                "old": moved.old, "new": moved.new, "counts": counts, "differences": moved.differences,
                "lost": moved.lost, "environment": {name: value or None for name, value in variables.items()},
            }
        )  # fmt: skip
    else:
        write_table(("", "old", "new"), [(name, *both) for name, both in moved.counts.items()], ("old", "new"))
    _tell(moved)
    if moved.differences:
        raise typer.Exit(1)
    if not as_json:
        write_line(f"the hub lies in {moved.new} now; from here on it is used with")
        for name, value in variables.items():
            if value or before[name]:
                write_line(f"  {name}={value}" if value else f"  {name} unset")
        write_line(f"the catalog in {moved.old} is as it was: let nobody write it any more")
    own = tokens_of_file() if to != FILE else []
    if own:
        tell(f"{len(own)} tokens stay on this machine alone", "make them anew for all: khub token create")


def _tell(moved: "Moved") -> None:
    for path in moved.lost[:LISTED]:
        tell(path, "missing or damaged in the old place, too", "delete its document, and ingest it again")
    if len(moved.lost) > LISTED:
        tell(f"and {len(moved.lost) - LISTED:,} more files")
    for line in moved.differences:
        tell(line)
    if moved.differences:
        tell("not moved", "see that nothing writes into the hub, and start khub move again: it goes on")


def _without_password(url: str) -> str:
    """Return an address with its user, but without a password, whatever characters that has."""
    scheme, _, rest = url.partition("://")
    user, at, place = rest.rpartition("@")
    place, _, query = place.partition("?")
    kept = "&".join(one for one in query.split("&") if "password" not in one.partition("=")[0].lower())
    return f"{scheme}://{user.partition(':')[0]}{at}{place}{'?' if kept else ''}{kept}" if rest else url
