"""`khub stats`."""

from typing import Annotated, Any, Final

import typer

from khub.server.commands.documents import tell_none_yet
from khub.server.commands.options import JsonOption
from khub.server.terminal import write_json, write_line, write_table

NUMBERS: Final = ("documents", "failed", "chunks", "pages", "pictures")


def stats(
    collection: Annotated[
        str | None, typer.Option("--collection", "-c", metavar="NAME", help="Only this one.", show_default=False)
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Tell how much the hub holds: documents, passages, pictures, languages and types; and its room on the disk.

    Where $KHUB_ACCESS opens a part, that is counted alone, and sizes, which are those of all, are not told.
    """
    from khub.components.home import hub_home
    from khub.server.reads.collection_stats import collection_stats

    there = _there()
    rows = collection_stats(collection) if there or collection is not None else []
    sizes = _sizes() if there and collection is None else {}
    if as_json:
        write_json({"home": hub_home(), "collections": rows, "bytes": sizes})
        return
    if not rows:
        tell_none_yet()
    else:
        columns: Final = ("collection", *NUMBERS, "languages", "types")
        write_table(columns, [[_cell(row[column]) for column in columns] for row in rows], right=NUMBERS)
    if sizes:
        from khub.components.text.file_size import file_size

        write_line()
        of_parts = [*sizes.items(), ("all", sum(sizes.values()))]
        write_table(("part", "size"), [(name, file_size(size)) for name, size in of_parts], right=("size",))


def _there() -> bool:
    from khub.components.catalog.catalog import open_catalog

    return open_catalog().database.exists()


def _sizes() -> dict[str, int]:
    from khub.components.catalog.access import access_levels
    from khub.components.home import hub_home
    from khub.server.reads.stored_bytes import stored_bytes

    return stored_bytes(hub_home()) if access_levels() is None else {}


def _cell(value: Any) -> Any:
    return ", ".join(f"{name} {number:,}" for name, number in value.items()) if isinstance(value, dict) else value
