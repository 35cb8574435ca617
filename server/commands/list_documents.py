"""`khub list`."""

from typing import TYPE_CHECKING, Final

import typer

from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.origin import origin_of
from khub.server.commands.documents import said_of, shown_source, tell_none_yet
from khub.server.commands.options import CollectionOption, JsonOption
from khub.server.reads.collection_counts import CollectionCounts
from khub.server.remote.chosen import chosen_service
from khub.server.terminal import tell, write_json, write_table

if TYPE_CHECKING:
    from khub.components.catalog.catalog import Catalog
    from khub.server.remote.service import Service


def list_documents(context: typer.Context, collection: CollectionOption = None, as_json: JsonOption = False) -> None:
    """List the documents of a collection, or the collections if there are several."""
    if (service := chosen_service(context)) is not None:
        _list_there(service, collection, as_json)
        return

    from khub.components.catalog.catalog import open_catalog

    catalog = open_catalog()
    names = catalog.collections.names()
    if collection is None and len(names) != 1:
        if not names and not as_json:
            tell_none_yet()
        else:
            _show_collections([_counts(catalog, name) for name in names], as_json)
        return
    name = catalog.collections.resolve(collection)
    _show_documents(name, catalog.documents.of_collection(name), as_json)


def _list_there(service: "Service", collection: str | None, as_json: bool) -> None:
    from khub.server.remote.documents import collections, documents

    rows = collections(service) if collection is None else []
    if collection is not None or len(rows) == 1:
        _show_documents(*documents(service, collection), as_json)
    elif not rows and not as_json:
        tell(f"there is no collection yet at {service.address}", "ingest some files first: khub ingest PATH")
    else:
        _show_collections(rows, as_json)


def _show_documents(name: str, rows: list[DocumentRow], as_json: bool) -> None:
    if as_json:
        write_json({"collection": name, "documents": rows})
        return
    write_table(
        ("id", "status", "type", "pages", "chunks", "lang", "title", "source"),
        [
            (
                row["doc_id"][:8], row["status"], row["doc_type"], row["pages"], row["chunks"], row["language"],
                said_of(row), origin_of(row["source"], row["meta"]) or shown_source(row["source"]),
            )
            for row in rows
        ],
        right=("pages", "chunks"),
    )  # fmt: skip


def _show_collections(rows: list[CollectionCounts], as_json: bool) -> None:
    if as_json:
        write_json({"collections": rows})
        return
    columns: Final = ("name", "documents", "failed", "chunks")
    write_table(columns, [[row[column] for column in columns] for row in rows], right=columns[1:])
    tell("see the documents of one with: khub list --collection NAME")


def _counts(catalog: "Catalog", name: str) -> CollectionCounts:
    documents = catalog.documents.of_collection(name)
    failed = sum(1 for row in documents if row["status"] == "failed")
    return {"name": name, "documents": len(documents), "failed": failed, "chunks": catalog.chunks.count(name)}
