"""`khub delete`."""

import sys
from typing import Annotated, Any

import typer

from components.errors import KhubError
from components.text.hidden_characters import on_one_line
from server.commands.documents import meant
from server.commands.options import CollectionOption, JsonOption
from server.commands.output import count, tell, write_json, write_line


def delete(
    documents: Annotated[
        list[str] | None,
        typer.Argument(metavar="[DOC]…", help="Ids or starts of ids, paths, or file names.", show_default=False),
    ] = None,
    collection: CollectionOption = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before a whole collection is deleted.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Delete documents, or a whole collection: text, vectors and index entries.

    The path of a table that came in row by row means the documents of all its rows.

    Example: khub delete notes.md 'orders.csv#row=7'
    """
    if documents:
        _delete_documents(documents, collection, as_json)
    elif collection is not None:
        _delete_collection(collection, yes, as_json)
    else:
        raise typer.BadParameter("name documents, or a whole collection by --collection NAME", param_hint="DOC")


def _delete_documents(names: list[str], collection: str | None, as_json: bool) -> None:
    from server.library.collections import delete_document, delete_file
    from server.library.source_walk import absolute
    from server.traces.app_log import configure_logging

    configure_logging()
    deleted: list[dict[str, Any]] = []
    failed: list[dict[str, str]] = []
    for name in names:
        try:
            rows = delete_file(str(absolute(name)), collection)
            deleted += rows or [delete_document(meant(name), collection)]
        except KhubError as error:
            failed.append({"document": name, "error": error.message, "remedy": error.remedy})
            tell(error.message, error.remedy)
    if as_json:
        write_json({"deleted": deleted, "failed": failed})
    else:
        for row in deleted:
            write_line(f"deleted {row['source']} ({count(row['chunks'], 'chunk')})")
    if failed:
        raise typer.Exit(1)


def _delete_collection(name: str, yes: bool, as_json: bool) -> None:
    if not yes and not _on_terminal():
        raise typer.BadParameter(
            "add it to delete a whole collection: there is no terminal to ask on", param_hint="--yes"
        )

    from server.library.collections import delete_collection
    from server.traces.app_log import configure_logging

    configure_logging()
    if not yes:
        _confirm(name)
    documents = delete_collection(name)
    if as_json:
        write_json({"collection": name, "documents": documents})
    else:
        write_line(f"deleted collection {name!r} ({count(documents, 'document')})")


def _on_terminal() -> bool:
    return sys.stdin.isatty()


def _confirm(name: str) -> None:
    from components.catalog.catalog import open_catalog

    catalog = open_catalog()
    documents = len(catalog.documents.of_collection(catalog.collections.resolve(name)))
    question = f"Delete collection {on_one_line(name)!r} with {count(documents, 'document')}?"
    if not typer.confirm(question, err=True):
        tell("nothing was deleted")
        raise typer.Exit(1)
