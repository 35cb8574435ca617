"""Where files from the web are kept, and how they and those that were sent go."""

import shutil
from pathlib import Path

from khub.components.catalog.slug import slug_of
from khub.components.home import hub_home
from khub.server.library.uploads import forget_upload

DOWNLOADS = "downloads"


def downloads_of(collection: str) -> Path:
    """Return where the fetched files of a collection are kept: each in a folder of its own in there."""
    return hub_home() / DOWNLOADS / slug_of(collection)


def forget_download(source: str, collection: str) -> None:
    """Delete the kept file of a document, if it is one that was fetched or sent."""
    forget_upload(source, collection)
    folder = Path(source).parent
    if folder.parent == downloads_of(collection):
        shutil.rmtree(folder, ignore_errors=True)
