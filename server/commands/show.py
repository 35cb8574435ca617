"""`khub show`."""

from typing import Annotated, Any

import typer

from khub.components.catalog.chunk_row import ChunkRow
from khub.components.catalog.left_attachments import LeftAttachments
from khub.components.catalog.parts import LEFT
from khub.server.commands.documents import meant
from khub.server.commands.options import CollectionOption, JsonOption
from khub.server.remote.chosen import chosen_service
from khub.server.terminal import write_json, write_line, write_text

FIELDS = (
    "doc_id", "collection", "source", "status", "error", "remedy", "doc_type", "title", "language",
    "pages", "chunks", "size", "sha256", "ingested_at", "updated_at",
)  # fmt: skip
UNSHOWN = ("found_metadata", "given_metadata")
"""Metadata that the hub keeps for itself."""


def show(
    context: typer.Context,
    document: Annotated[
        str,
        typer.Argument(metavar="DOC", help="Its id or the start of it, its path or file name, or its address."),
    ],
    collection: CollectionOption = None,
    with_chunks: Annotated[bool, typer.Option("--chunks", help="Show the text of its chunks as well.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what is known of a document."""
    if (service := chosen_service(context)) is not None:
        from khub.server.remote.documents import chunks as chunks_there
        from khub.server.remote.documents import find_document

        row = find_document(service, document, collection)
        chunks = chunks_there(service, row) if with_chunks else []
    else:
        from khub.components.catalog.catalog import open_catalog
        from khub.server.library.from_address import is_address, row_from

        catalog = open_catalog()
        name = catalog.collections.resolve(collection)
        if is_address(document):
            row = row_from(catalog.documents.of_collection(name), name, document)
        else:
            row = catalog.documents.find(name, meant(document))
        chunks = catalog.documents.chunks(row["doc_id"]) if with_chunks else []
    if as_json:
        write_json({**row, "passages": chunks} if with_chunks else row)
        return
    fields = {name: row.get(name) for name in FIELDS}
    meta = {key: _left(value or []) if key == LEFT else _line(value) for key, value in row["meta"].items()}
    fields |= {f"meta.{key}": value for key, value in meta.items() if key not in UNSHOWN}
    shown = {name: value for name, value in fields.items() if value not in (None, "")}
    width = max(map(len, shown))
    for name, value in shown.items():
        write_line(f"{name:<{width}}  {value}")
    for chunk in chunks:
        _show_chunk(chunk)


def _line(value: Any) -> Any:
    """Return a list as words, and what has lines as one."""
    if isinstance(value, list) and not any(isinstance(item, list | dict) for item in value):
        return ", ".join(map(str, value))
    return " ".join(value.split()) if isinstance(value, str) else value


def _left(groups: list[LeftAttachments]) -> str:
    """Return which files attached to a mail were left out, and why."""
    return "; ".join(
        f"{', '.join(one['names'])}{'' if (more := one['count'] - len(one['names'])) < 1 else f' and {more:,} more'}: "
        f"{one['reason']} -> {one['remedy']}"
        for one in groups
    )


def _show_chunk(chunk: ChunkRow) -> None:
    first, last, time = chunk["page_first"], chunk["page_last"], chunk["time_mark"]
    pages = "" if first is None else f"page {first}" if first == last else f"pages {first}-{last}"
    page = f"[{time}]" if time else pages
    place = [f"chunk {chunk['ordinal'] + 1}", chunk["chunk_id"][:8], chunk["language"], page, chunk["section"]]
    write_line()
    write_line(f"── {' · '.join(part for part in place if part)}")
    write_text(chunk["content"])
