"""Take a source off the list: nothing follows it any more, and its documents stay."""

from dataclasses import dataclass
from pathlib import Path, PurePath

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.kept_path import FILES, kept_path, source_folder
from khub.components.catalog.source_states import SourceState
from khub.components.errors import OptionError
from khub.components.home import hub_home
from khub.components.sources.address import shown_source
from khub.server.library.row_sources import file_of
from khub.server.sources.configured import FILE, read_sources


@dataclass(frozen=True)
class ForgottenSource:
    """A source that is no longer known.

    :param documents: of it that stay.
    """

    key: str
    address: str
    collection: str
    documents: int


def forget_source(name: str, collection: str | None = None) -> ForgottenSource:
    """Forget a source that was synced by hand; of its files only those go that no document came from.

    :param name: its key, or its address; credentials in that are not looked at.
    :param collection: that follows it; any if None.
    :raises OptionError: if no such source is known, several are, or `sources.yaml` names it.
    """
    state = _known(name, collection)
    catalog = open_catalog()
    files = source_folder(state.collection, state.key) / FILES
    rows = [row for row in catalog.documents.of_collection(state.collection) if _lies_in(row, files)]
    needed = {PurePath(file_of(row["source"])) for row in rows}
    for item in catalog.source_items.of_source(state.key).values():
        if (path := hub_home() / item.path) not in needed:
            catalog.files.drop(path)
    catalog.source_states.forget(state.key)
    return ForgottenSource(state.key, state.address, state.collection, len(rows))


def forget_left_file(source: str) -> None:
    """Delete the file of a document that is gone, if it came from a source that is forgotten.

    :param source: of the document.
    """
    catalog, is_file = open_catalog(), file_of(source) == source
    if is_file and kept_path(source) is not None and catalog.source_items.address_of(source) is None:
        catalog.files.drop(Path(source))


def _known(name: str, collection: str | None) -> SourceState:
    shown, catalog = shown_source(name), open_catalog()
    configured = {asked.key: asked for asked in read_sources()[0] if collection in (None, asked.collection)}
    there = catalog.source_states.all(collection) if catalog.database.exists() else []
    found = [one for one in there if one.key not in configured and (name == one.key or shown == one.address)]
    named = [asked for asked in configured.values() if name == asked.key or shown == asked.shown]
    if named and not found:
        raise OptionError(f"{FILE} names the source {named[0].shown!r}", "take it out of that file")
    if not found:
        where = "" if collection is None else f" in collection {collection!r}"
        raise OptionError(f"no source {shown!r} is known{where}", "see khub sources")
    if len(found) > 1:
        names = ", ".join(state.collection for state in found)
        raise OptionError(f"several collections follow {shown!r}", f"name one by --collection: {names}")
    return found[0]


def _lies_in(row: DocumentRow, folder: PurePath) -> bool:
    return PurePath(file_of(row["source"])).is_relative_to(folder)
