"""`khub list`."""

from typing import TYPE_CHECKING, Any

from server.commands.documents import said_of, shown_source, tell_none_yet
from server.commands.options import CollectionOption, JsonOption
from server.commands.output import tell, write_json, write_table

if TYPE_CHECKING:
    from components.catalog.catalog import Catalog


def list_documents(collection: CollectionOption = None, as_json: JsonOption = False) -> None:
    """List the documents of a collection, or the collections if there are several."""
    from components.catalog.catalog import open_catalog

    catalog = open_catalog()
    names = catalog.collections.names()
    if collection is None and len(names) != 1:
        _list_collections(catalog, names, as_json)
        return
    name = catalog.collections.resolve(collection)
    rows = catalog.documents.of_collection(name)
    if as_json:
        write_json({"collection": name, "documents": rows})
        return
    write_table(
        ("id", "status", "type", "pages", "chunks", "lang", "title", "source"),
        [
            (
                row["doc_id"][:8], row["status"], row["doc_type"], row["pages"], row["chunks"], row["language"],
                said_of(row), shown_source(row["source"]),
            )
            for row in rows
        ],
        right=("pages", "chunks"),
    )  # fmt: skip


def _list_collections(catalog: "Catalog", names: list[str], as_json: bool) -> None:
    rows = [_counts(catalog, name) for name in names]
    if as_json:
        write_json({"collections": rows})
        return
    if not rows:
        tell_none_yet()
        return
    columns = ("name", "documents", "failed", "chunks")
    write_table(columns, [[row[column] for column in columns] for row in rows], right=columns[1:])
    tell("see the documents of one with: khub list --collection NAME")


def _counts(catalog: "Catalog", name: str) -> dict[str, Any]:
    documents = catalog.documents.of_collection(name)
    failed = sum(1 for row in documents if row["status"] == "failed")
    return {"name": name, "documents": len(documents), "failed": failed, "chunks": catalog.chunks.count(name)}
