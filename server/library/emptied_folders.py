"""Folders that have lost all their documents at once: perhaps only a share is not mounted there."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath

from khub.components.text.hidden_names import is_hidden


def emptied_folders(root: Path, lost: Sequence[str], alive: Iterable[str]) -> list[str]:
    """Return the outermost folders below a folder that are gone, or hold no file any more.

    :param root: absolute.
    :param lost: files that are gone, absolute.
    :param alive: files that are still there or have only moved: the folders in which they were are not emptied.
    """
    if not lost:
        return []
    filled = {parent for file in alive for parent in PurePath(file).parents}
    found: dict[PurePath, None] = {}
    for file in lost:
        inside = [parent for parent in reversed(PurePath(file).parents) if parent.is_relative_to(root)][1:]
        emptied = next((one for one in inside if one in found or (one not in filled and not _holds_files(one))), None)
        if emptied is not None:
            found[emptied] = None
    return list(map(str, found))


def _holds_files(folder: PurePath) -> bool:
    for _, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not is_hidden(name)]
        if not all(map(is_hidden, files)):
            return True
    return False
