"""Files that were sent to the hub: where they are kept, and under which names."""

import contextlib
import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import portalocker

from khub.components.catalog.slug import slug_of
from khub.components.errors import SourceError
from khub.components.home import hub_home
from khub.components.private_files import owners_alone, private_folder
from khub.components.text.file_names import NOT_IN_NAMES, safe_name

if TYPE_CHECKING:
    from khub.components.catalog.file_store import FileStore

UPLOADS = "uploads"
MOST_FOLDERS = 20


@contextlib.contextmanager
def incoming(job_id: str) -> Iterator[Path]:
    """Give a folder for the files of a request until all of them are there; it goes with what is left in it.

    Its lock is held meanwhile, and goes with this process, however that ends: see `forget_interrupted`.
    """
    folder = _incoming() / job_id
    private_folder(folder.parent)
    try:
        with _held(folder):
            private_folder(folder)
            try:
                yield folder
            finally:
                shutil.rmtree(folder, ignore_errors=True)
    finally:
        _lock(folder).unlink(missing_ok=True)


def forget_interrupted() -> None:
    """Delete what is left of requests whose service was killed while they came."""
    for folder in [path for path in _incoming().glob("*") if path.is_dir()]:
        with contextlib.suppress(portalocker.exceptions.LockException), _held(folder):
            shutil.rmtree(folder, ignore_errors=True)
            _lock(folder).unlink(missing_ok=True)


def _incoming() -> Path:
    return hub_home() / "incoming"


def _lock(folder: Path) -> Path:
    return folder.with_suffix(".lock")


def _held(folder: Path) -> portalocker.Lock:
    flags = portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING
    return portalocker.Lock(_lock(folder), "a", timeout=0, flags=flags, opener=owners_alone)


def put_aside(parts: Sequence[Path], job_id: str) -> None:
    """Let files that have come wait for their job: an earlier one may still be at those that they replace."""
    private_folder(_waiting(job_id))
    for number, part in enumerate(parts):
        waiting = _waiting(job_id) / str(number)
        part.replace(waiting)
        _files().keep(waiting)


def put_in_place(job_id: str, paths: Sequence[str], dropped: Collection[str] = ()) -> None:
    """Give the files of a job their places, in which they replace others; those that have theirs stay.

    :param paths: absolute, as many as were put aside.
    :param dropped: those of them that are no longer wanted, or that may replace nothing.
    """
    files = _files()
    for number, path in enumerate(paths):
        part = _waiting(job_id) / str(number)
        if path not in dropped and files.find(part):
            _keep(part, Path(path))
            files.keep(Path(path))
        elif hub_home() / UPLOADS in Path(path).parents:
            files.renew(Path(path))  # it has its place already, perhaps from another machine
    forget_put_aside(job_id, len(paths))


def _files() -> "FileStore":
    from khub.components.catalog.catalog import open_catalog  # a command that sends files needs none of it

    return open_catalog().files


def forget_put_aside(job_id: str, count: int = 0) -> None:
    """Delete the files that wait for a job.

    :param count: so many were put aside, perhaps on another machine.
    """
    for number in range(count):
        _files().drop(_waiting(job_id) / str(number))
    shutil.rmtree(_waiting(job_id), ignore_errors=True)


def forget_waiting(is_over: Callable[[str], bool]) -> None:
    """Delete the files of jobs that are over, or of which nobody knows.

    :param is_over: says so of a job, by its id.
    """
    for folder in (hub_home() / "waiting").glob("*"):
        if is_over(folder.name) and not (_incoming() / folder.name).exists():  # else its job is about to be added
            shutil.rmtree(folder, ignore_errors=True)


def _waiting(job_id: str) -> Path:
    return hub_home() / "waiting" / job_id


def uploads_of(collection: str) -> Path:
    """Return where the files that were sent to a collection are kept: the same path again replaces the file."""
    return hub_home() / UPLOADS / slug_of(collection)


def safe_path(given: str) -> str:
    """Return where a file is kept below the uploads, with `/` between folders; a path that leads elsewhere loses them.

    :raises SourceError: if nothing is left of it, or it is too deep.
    """
    parts = PurePosixPath(given.replace("\\", "/")).parts or ("",)
    if given.endswith(("/", "\\")) or ":" in parts[0] or not {"/", "//", ".."}.isdisjoint(parts):
        return safe_name(given)
    if len(parts) > MOST_FOLDERS:
        raise SourceError(
            f"{given[:80]!r} lies in more than {MOST_FOLDERS - 1} folders",
            "send it by a shorter path",
            code="name_invalid",
        )
    if not all(NOT_IN_NAMES.sub("", folder).strip(" .") for folder in parts[:-1]):
        return safe_name(given)
    return "/".join(map(safe_name, parts))


def _keep(part: Path, target: Path) -> None:
    try:
        private_folder(target.parent)
        part.replace(target)
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        raise SourceError(
            f"{target.name!r} is a file and a folder", "call one of them otherwise", code="name_invalid"
        ) from error


def forget_upload(source: str, collection: str) -> None:
    """Delete the kept file of a document, if it is one that was sent."""
    path, uploads = Path(source), uploads_of(collection)
    if not path.is_relative_to(uploads):
        return
    _files().drop(path)
    with contextlib.suppress(OSError):  # where it was not the last one in its folder
        for folder in path.relative_to(uploads).parents[:-1]:
            (uploads / folder).rmdir()
