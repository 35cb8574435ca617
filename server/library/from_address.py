"""Documents by the address that they came from."""

from collections.abc import Sequence

from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.documents import only_meant
from khub.components.text.shown_address import shown_address
from khub.server.library.row_sources import file_of


def is_address(name: str) -> bool:
    """Say whether what a person names is an address, and no id, path or name of a file."""
    return "://" in name


def rows_from(rows: Sequence[DocumentRow], collection: str, address: str) -> list[DocumentRow]:
    """Return the documents of the file that came from an address: those of all rows of a table, a mail with its parts.

    User and password say nothing of where it is, and a slash at its end only where the same is there without it.

    :param rows: the documents among which they are.
    :param address: as it was fetched, or as it is shown.
    :raises CollectionError: if nothing came from there, or several files.
    """
    shown = shown_address(address)
    origins = [(shown_address(str(row["meta"].get("url") or "")), row) for row in rows]
    exact = [row for origin, row in origins if origin == shown]
    found = exact or [row for origin, row in origins if origin.rstrip("/") == shown.rstrip("/")]
    only_meant(_files(found), collection, shown)
    return found


def row_from(rows: Sequence[DocumentRow], collection: str, address: str) -> DocumentRow:
    """Return the document that came from an address; of a mail the mail itself.

    :raises CollectionError: as `rows_from` does, and if it came as the rows of a table.
    """
    found = rows_from(rows, collection, address)
    return only_meant(_whole(found) or found, collection, shown_address(address))


def _files(rows: Sequence[DocumentRow]) -> list[DocumentRow]:
    """Return a document of each file; a service tells some callers no folders, and files of several by one name."""
    whole = _whole(rows)
    known = {row["source"] for row in whole}
    parted = {file: row for row in rows if (file := file_of(row["source"])) not in known}
    return [*whole, *parted.values()]


def _whole(rows: Sequence[DocumentRow]) -> list[DocumentRow]:
    return [row for row in rows if file_of(row["source"]) == row["source"]]
