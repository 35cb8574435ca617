"""How much of the work of an ingest is done, by the sizes of its files."""

from collections.abc import Iterable, Sequence
from pathlib import Path


class FileSizes:
    """Tells the share of the work: a page, or a picture, takes some room, and most of the time goes into these.

    :param files: paths.
    """

    def __init__(self, files: Sequence[str]) -> None:
        self._sizes = {file: _size(file) for file in files}
        self._all = sum(self._sizes.values())
        self._done = 0

    def end(self, ended: Iterable[tuple[str, str]]) -> None:
        """Take files away, each with what became of it; one that was unchanged was no work."""
        for file, became in ended:
            size = self._sizes.pop(file, 0)
            if became == "unchanged":
                self._all -= size
            else:
                self._done += size

    def share(self) -> float | None:
        """Return which share of the work is done, from 0 to 1; None where the files have no sizes."""
        return self._done / self._all if self._all else None


def _size(file: str) -> int:
    try:
        return Path(file).stat().st_size
    except OSError:  # it has just gone: reading it says so
        return 0
