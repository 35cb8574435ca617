"""Files that lie in a temporary folder for as long as somebody may still read them."""

import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any, Self

HELD_FILE = "held_file"
"""Metadata of a document on its way whose source is no path of a file: where the file lies."""


class HeldFolder:
    """A folder that its owner alone can enter; it goes with the last who refers to it, or to a `HeldFile` in it."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="khub-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


class HeldFile(str):
    """The path of a file in a `HeldFolder`; whatever holds it, such as the metadata of a chunk, keeps the folder."""

    folder: HeldFolder

    @classmethod
    def of(cls, folder: HeldFolder, name: str) -> Self:
        """Return the path of a file.

        :param folder: in which it lies.
        :param name: its name there.
        """
        held = cls(folder.path / name)
        held.folder = folder
        return held

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _: dict[int, Any]) -> Self:
        return self
