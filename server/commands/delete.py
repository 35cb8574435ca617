"""`khub delete`."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from khub.components.catalog.document_row import DocumentRow
from khub.components.errors import KhubError
from khub.components.text.hidden_characters import on_one_line
from khub.components.text.shown_address import without_credentials
from khub.server.commands.documents import meant
from khub.server.commands.options import CollectionOption, JsonOption
from khub.server.remote.chosen import chosen_service
from khub.server.terminal import count, tell, write_json, write_line

if TYPE_CHECKING:
    from khub.server.remote.service import Service

Deleting = Callable[[str], list[DocumentRow]]
"""Deletes what a name means, and returns the rows of it."""


def delete(
    context: typer.Context,
    documents: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[DOC]…",
            help="Ids or starts of ids, paths, file names, or their addresses.",
            show_default=False,
        ),
    ] = None,
    collection: CollectionOption = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before a whole collection is deleted.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Delete documents, or a whole collection: text, vectors and index entries.

    The path of a table that came in row by row means the documents of all its rows; a mail goes with what is attached.

    Example: khub delete notes.md 'orders.csv#row=7'
    """
    service = chosen_service(context, writing=True)
    if documents:
        delete_one = _one_here(collection) if service is None else _one_there(service, collection)
        _delete_documents(documents, delete_one, service is None, as_json)
    elif collection is not None:
        _delete_collection(service, collection, yes, as_json)
    else:
        raise typer.BadParameter("name documents, or a whole collection by --collection NAME", param_hint="DOC")


def _one_here(collection: str | None) -> Deleting:
    from khub.server.jobs.deletions import delete_document, delete_file, delete_from_address
    from khub.server.library.from_address import is_address
    from khub.server.library.source_walk import absolute
    from khub.server.traces.app_log import configure_logging

    configure_logging()

    def delete_one(name: str) -> list[DocumentRow]:
        if is_address(name):
            return delete_from_address(name, collection)
        return delete_file(str(absolute(name)), collection) or [delete_document(meant(name), collection)]

    return delete_one


def _one_there(service: "Service", collection: str | None) -> Deleting:
    from khub.server.remote.documents import delete_document

    return lambda name: delete_document(service, name, collection)


def _tell_followed(deleted: list[DocumentRow]) -> None:
    """Say which sources bring back what was deleted of them."""
    from khub.components.catalog.catalog import open_catalog
    from khub.server.library.row_sources import file_of

    found = [open_catalog().source_items.address_of(file_of(row["source"])) for row in deleted]
    for address in dict.fromkeys(filter(None, found)):
        tell(address, "its next sync may bring back what was deleted of it", "take it out there, or forget the source")


def _delete_documents(names: list[str], delete_one: Deleting, here: bool, as_json: bool) -> None:
    deleted: list[DocumentRow] = []
    failed: list[dict[str, str]] = []
    for name in names:
        try:
            deleted += delete_one(name)
        except KhubError as error:
            shown = without_credentials(name)
            failed.append({"document": shown, "error": error.message, "remedy": error.remedy, "code": error.code})
            tell(error.message, error.remedy)
    if here:
        _tell_followed(deleted)
    if as_json:
        write_json({"deleted": deleted, "failed": failed})
    else:
        for row in deleted:
            write_line(f"deleted {row['source']} ({count(row['chunks'], 'chunk')})")
    if failed:
        raise typer.Exit(1)


def _delete_collection(service: "Service | None", name: str, yes: bool, as_json: bool) -> None:
    if not yes and not _on_terminal():
        raise typer.BadParameter(
            "add it to delete a whole collection: there is no terminal to ask on", param_hint="--yes"
        )

    if service is not None:
        from khub.server.remote.documents import count_documents
        from khub.server.remote.documents import delete_collection as delete_there

        if not yes:
            _confirm(name, count_documents(service, name))
        documents = delete_there(service, name)
    else:
        from khub.server.jobs.deletions import delete_opened_collection
        from khub.server.traces.app_log import configure_logging

        configure_logging()
        if not yes:
            _confirm(name, _count(name))
        documents = delete_opened_collection(name)
    if as_json:
        write_json({"collection": name, "documents": documents})
    else:
        write_line(f"deleted collection {name!r} ({count(documents, 'document')})")


def _on_terminal() -> bool:
    return sys.stdin.isatty()


def _count(name: str) -> int:
    from khub.components.catalog.catalog import open_catalog

    catalog = open_catalog()
    return len(catalog.documents.of_collection(catalog.collections.resolve(name)))


def _confirm(name: str, documents: int) -> None:
    question = f"Delete collection {on_one_line(name)!r} with {count(documents, 'document')}?"
    if not typer.confirm(question, err=True):
        tell("nothing was deleted")
        raise typer.Exit(1)
