"""Where the file of a document lies when that moves to another collection."""

import shutil
from pathlib import Path

from khub.components.catalog.catalog import open_catalog
from khub.components.errors import SourceError
from khub.components.private_files import private_folder
from khub.server.library.downloads import downloads_of
from khub.server.library.uploads import uploads_of


def moved_path(path: str, collection: str, target: str) -> str:
    """Return where a file of a collection lies in another one: a copy of the hub's own has another place there.

    :param path: absolute; a file of a folder of the user's own stays where it is.
    """
    for folder_of in (uploads_of, downloads_of):
        if Path(path).is_relative_to(folder_of(collection)):
            return str(folder_of(target) / Path(path).relative_to(folder_of(collection)))
    return path


def refuse_taken(path: str, place: str) -> None:
    """Refuse a place at which another file lies.

    :param path: of the file that is to lie there.
    :raises SourceError: if it would replace one with another content.
    """
    files = open_catalog().files
    there = None if path == place else files.sha256(Path(place))
    if there is not None and there != files.sha256(Path(path)):
        name = Path(place).name
        raise SourceError(f"the other collection has another file {name!r}", "delete one of them", code="name_taken")


def copy_file(path: str, place: str) -> None:
    """Copy a file that the hub keeps to its place in another collection.

    :raises SourceError: if it is gone, or another one lies there.
    """
    files = open_catalog().files
    refuse_taken(path, place)
    if path == place or files.find(Path(place)):
        return
    if not files.find(Path(path)):
        raise SourceError(f"the file {Path(path).name!r} is gone", "ingest it into the other collection")
    private_folder(Path(place).parent)
    shutil.copy2(path, place)
    files.keep(Path(place))
