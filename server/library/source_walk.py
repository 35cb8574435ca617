"""From paths that a person names to the files that are meant."""

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from components.converters.file_types import doc_type_of, why_not_read
from components.converters.source_reader import IN_A_CIRCLE, status_of
from components.errors import SourceError
from components.home import hub_home

MOST_NAMED = 1000
"""So many files that are passed over are named; of more there is the number."""


@dataclass
class Sources:
    """Files to ingest, and named paths that cannot be.

    :param files: absolute paths, each once, in the order in which they were named, folders sorted by name.
    :param failed: `{source, stage, error, remedy}` of paths that do not exist or cannot be entered, and of what is
        neither file nor folder: pipes, sockets, devices, links that lead nowhere.
    :param passed_over: `{source, reason}` of files in named folders whose kind is not read, `MOST_NAMED` at most.
    :param passed_over_count: how many they are.
    :param links_left: symbolic links that lead out of the named folder and were not followed.
    """

    files: list[str] = field(default_factory=list)
    failed: list[dict[str, str]] = field(default_factory=list)
    passed_over: list[dict[str, str]] = field(default_factory=list)
    passed_over_count: int = 0
    links_left: list[str] = field(default_factory=list)

    def pass_over(self, file: Path) -> None:
        """Note a file whose kind is not read."""
        self.passed_over_count += 1
        if len(self.passed_over) < MOST_NAMED:
            self.passed_over.append({"source": _shown(file), "reason": why_not_read(file)})


def collect_sources(paths: Iterable[str]) -> Sources:
    """Expand folders; a file that is named itself is taken whatever its kind. Nothing is opened.

    Hidden files and folders, and the hub's own folder, are passed over. Symbolic links are followed only where they
    stay within the named folder.
    """
    sources, seen = Sources(), set()
    for name in paths:
        path = absolute(name)
        if not _is_there(path, sources):
            continue
        for file in _walk(path, sources) if path.is_dir() else [path]:
            if file in seen:
                continue
            seen.add(file)
            if _shown(file) != str(file):
                _fail(sources, file, "has a name that is not UTF-8", "rename it")
            elif _is_there(file, sources):
                sources.files.append(str(file))
    return sources


def _is_there(path: Path, sources: Sources) -> bool:
    """Say whether there is a file or folder; if not, what it is goes among the failures."""
    try:
        status_of(path)
    except SourceError as error:
        sources.failed.append(
            {"source": _shown(path), "stage": "check", "error": error.message, "remedy": error.remedy}
        )
        return False
    return True


def absolute(name: str) -> Path:
    """Return a path that a person names from the root on: a file has one name, whatever folder it is named from."""
    return Path(os.path.abspath(Path(name).expanduser()))  # noqa: PTH100 - Path.absolute() keeps the dots of ../x


def _walk(root: Path, sources: Sources) -> Iterator[Path]:
    real_root, home = root.resolve(), hub_home()

    def failed(error: OSError) -> None:
        _fail(sources, Path(error.filename or root), f"cannot be entered ({error.strerror})", "check its permissions")

    for folder, folders, files in os.walk(root, onerror=failed, followlinks=False):
        here = Path(folder)
        linked = [here / name for name in folders if (here / name).is_symlink()]
        sources.links_left += [_shown(link) for link in linked if not _leads_into(link, real_root)]
        folders[:] = sorted(name for name in folders if not name.startswith(".") and here / name != home)
        for name in sorted(files):
            file = here / name
            if name.startswith("."):
                continue
            if file.is_symlink() and not _leads_into(file, real_root):
                sources.links_left.append(_shown(file))
            elif doc_type_of(file) is not None or _is_special(file):
                yield file
            else:
                sources.pass_over(file)


def _leads_into(link: Path, root: Path) -> bool:
    """Say whether a link stays within a folder; one that leads back to itself leads to nowhere else."""
    try:
        return link.resolve().is_relative_to(root)
    except (OSError, RuntimeError):  # before Python 3.13 a circle is an error
        return True


def _is_special(file: Path) -> bool:
    """Say whether something is a pipe, a socket or a device, or a circle of links, whatever its name ends in."""
    try:
        return not stat.S_ISREG(file.stat().st_mode)
    except OSError as error:
        return error.errno in IN_A_CIRCLE


def _fail(sources: Sources, path: Path, error: str, remedy: str) -> None:
    sources.failed.append(
        {"source": _shown(path), "stage": "check", "error": f"{str(path)!r} {error}", "remedy": remedy}
    )


def _shown(path: Path) -> str:
    """Return the path as text that can be printed and stored, whatever bytes its name is made of."""
    return str(path).encode(errors="backslashreplace").decode()
