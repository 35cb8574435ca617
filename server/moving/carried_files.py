"""The files of documents and pictures of a hub, carried from where it keeps them to where another one does."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from khub.components.catalog.catalog import Catalog
from khub.components.catalog.kept_path import SOURCES
from khub.server.library.row_sources import file_of
from khub.server.library.uploads import UPLOADS

AT_ONCE = 8


@dataclass(frozen=True)
class CarriedFile:
    """A file that a row of the catalog names.

    :param kind: `originals`, `pictures`, `sent files` or `files of sources`.
    :param in_old: whether it lies in the old place as it should.
    :param in_new: the same of the new one.
    """

    kind: str
    path: Path
    in_old: bool
    in_new: bool


def files_of(catalog: Catalog) -> list[tuple[str, Path, str]]:
    """Return kind, place and sha256 of each file; the hash is empty where the name does not say it."""
    like = f"{catalog.home / UPLOADS}/"
    sent = catalog.database.rows("SELECT DISTINCT source FROM documents WHERE instr(source, ?) = 1", (like,))
    return [
        *(("originals", path, sha256) for path, sha256 in catalog.originals.files().items()),
        *(("pictures", path, sha256) for path, sha256 in catalog.images.files().items()),
        *(("sent files", Path(row[0]), "") for row in sent),
        *(("files of sources", path, "") for path in sorted(_of_sources(catalog))),
    ]


def _of_sources(catalog: Catalog) -> set[Path]:
    """Return where what was read of sources lies, also of those that are forgotten and have documents."""
    like = f"{catalog.home / SOURCES}/"
    rows = catalog.database.rows("SELECT source FROM documents WHERE instr(source, ?) = 1", (like,))
    read = {catalog.home / path for path in catalog.source_items.paths()}
    return read | {Path(file_of(row["source"])) for row in rows}


def carry_files(
    old: Catalog, new: Catalog, files: Sequence[tuple[str, Path, str]], shown: Callable[[int, int], None]
) -> list[CarriedFile]:
    """Let the new place keep the files; those that it has already are only compared.

    :param shown: is told how many are done, and of how many.
    :raises StoreError: if one of the places cannot be used.
    """
    carried: list[CarriedFile] = []
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="carry") as threads:
        try:
            for one in threads.map(lambda file: _carried(old, new, *file), files):
                carried.append(one)
                shown(len(carried), len(files))
        except BaseException:
            threads.shutdown(cancel_futures=True)
            raise
    return carried


def _carried(old: Catalog, new: Catalog, kind: str, path: Path, named: str) -> CarriedFile:
    sha256 = named or old.files.sha256(path)
    if sha256 is None:
        return CarriedFile(kind, path, in_old=False, in_new=False)
    if new.files.sha256(path) == sha256:
        return CarriedFile(kind, path, in_old=True, in_new=True)
    if old.files.renew(path):
        new.files.keep(path)
    there = new.files.sha256(path) == sha256
    return CarriedFile(kind, path, in_old=there or old.files.sha256(path) == sha256, in_new=there)
