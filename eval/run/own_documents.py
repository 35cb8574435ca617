"""The folder that a collection's documents lie in: what golden sets about them name their files from."""

import os
from pathlib import Path

from components.errors import KhubError
from server.reads.hub_reads import catalog_of_hub


def folder_of(collection: str) -> Path:
    """Return the innermost folder that holds all files of a collection; what came from an address has none.

    :raises KhubError: if there is no file, or the files lie on several drives.
    """
    names = [source for source, _, _ in catalog_of_hub().documents.names(collection)]
    folders = [Path(name).parent for name in names if Path(name).is_absolute()]
    try:
        return Path(os.path.commonpath(folders))
    except ValueError as error:
        raise KhubError(
            f"the files of {collection!r} have no folder in common", "ingest files of one folder"
        ) from error
