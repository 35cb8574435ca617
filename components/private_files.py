"""Files that only the user who runs the hub may read, whatever the umask is.

Windows keeps a folder by the rights of the one around it; there, nothing is changed.
"""

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

OWNERS_FOLDER, OWNERS_FILE = 0o700, 0o600
OTHERS, WRITERS = 0o077, 0o022
CATALOG = "catalog.sqlite3"
MADE_BY_THE_HUB = frozenset(
    {
        CATALOG, f"{CATALOG}-wal", f"{CATALOG}-shm", f"{CATALOG}-journal", "originals", "images", "dense", "sparse",
        "locks", "logs", "cache", "jobs", "downloads", "judge", "eval", "bench", "golden_pool",
        "tokens.json", "tokens.lock", "incoming", "waiting", "uploads", "sources", "metrics", "run",
        "model_tokens.sqlite3", "model_tokens.sqlite3-journal", "tmp",
        *(f"{name}.sqlite3{log}" for name in ("replica", "moving") for log in ("", "-wal", "-shm")),
    }
)  # fmt: skip
PHYSICAL_INDEX = re.compile(r"[a-z][a-z0-9_]*_g\d+")
WRITTEN_BY_USERS = frozenset({"prompts", "synonyms.txt", "collections", "sources.yaml", "oidc.yaml"})
"""What the hub reads where it lies in its folder, and never makes."""


def private_folder(folder: Path) -> None:
    """Make a folder that its owner alone can enter, and those above it that are missing; one that is there stays."""
    if os.name == "nt":
        folder.mkdir(parents=True, exist_ok=True)
    elif not folder.is_dir():
        private_folder(folder.parent)
        folder.mkdir(OWNERS_FOLDER, exist_ok=True)


def private_file(path: Path) -> None:
    """Make an empty file that its owner alone can read, and its folder, for a library that is about to open it.

    One that is there stays. SQLite gives the files that it makes beside its own the rights of that.
    """
    private_folder(path.parent)
    if not path.exists():
        path.touch(OWNERS_FILE)


def owners_alone(path: str, flags: int) -> int:
    """Open a file, the `opener` of `open`: one that is new can be read by its owner alone."""
    return os.open(path, flags, OWNERS_FILE)


def make_private(home: Path) -> bool:
    """Close an existing hub to other users of the machine; return whether anything was open.

    What lies in the folder and was not made by the hub stays as it is. Where there is such a thing in it the folder
    itself is not the hub's alone: others can still read it, but not write to it, or they could put another catalog in
    the place of the hub's; what the hub made in it is closed piece by piece. What is closed
    already is not looked into, so that this costs some microseconds from the second time on.

    :param home: the hub's data folder; one without a catalog is left alone.
    """
    if os.name == "nt":
        return False
    try:
        with os.scandir(home) as found:
            entries = list(found)
        if all(entry.name != CATALOG for entry in entries):
            return False  # nothing says that this is a hub
        made = [entry for entry in entries if _is_made_by_the_hub(entry)]
        others = {entry.name for entry in entries} - {entry.name for entry in made} - WRITTEN_BY_USERS
        closed = not _is_for_all(home) and _close(home, home.stat(), WRITERS if others else OTHERS)
    except OSError:  # whoever opens the catalog says what is wrong with it
        return False
    for entry in made:
        with contextlib.suppress(OSError):  # it has just gone
            if _close(Path(entry.path), entry.stat(follow_symlinks=False)):
                closed = True
                for path, about in _beneath(entry):
                    _close(path, about)
    return closed


def _is_made_by_the_hub(entry: "os.DirEntry[str]") -> bool:
    """Say whether a thing in the hub's folder is the hub's: by its name, or because it holds indexes of a store."""
    if entry.name in MADE_BY_THE_HUB:
        return True
    if not entry.is_dir(follow_symlinks=False):
        return False
    with os.scandir(entry) as found:
        names = [inner.name for inner in found]
    return bool(names) and all(PHYSICAL_INDEX.fullmatch(name) for name in names)


def _is_for_all(home: Path) -> bool:
    """Say whether a folder is a user's own, or open to all by intention, as /tmp is."""
    return home == Path("~").expanduser() or bool(home.stat().st_mode & stat.S_ISVTX)


def _close(path: Path, about: os.stat_result, rights: int = OTHERS) -> bool:
    """Take rights of others from a file or folder; return whether there were any, and that worked.

    :param about: of the path itself: links, and what belongs to another user, are left alone.
    """
    if not about.st_mode & rights or about.st_uid != os.geteuid() or not _is_plain(about.st_mode):
        return False
    with contextlib.suppress(OSError):
        path.chmod(stat.S_IMODE(about.st_mode) & ~rights)
        return not path.stat().st_mode & rights  # some file systems have no such rights
    return False


def _is_plain(mode: int) -> bool:
    return stat.S_ISDIR(mode) or stat.S_ISREG(mode)


def _beneath(folder: "os.DirEntry[str]") -> Iterator[tuple[Path, os.stat_result]]:
    if not folder.is_dir(follow_symlinks=False):
        return
    with os.scandir(folder) as entries:
        for entry in entries:
            yield Path(entry.path), entry.stat(follow_symlinks=False)
            yield from _beneath(entry)
