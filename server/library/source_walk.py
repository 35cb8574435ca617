"""From paths that a person names to the files that are meant."""

import os
import stat
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from khub.components.converters.file_types import SUPPORTED_EXTENSIONS, why_not_read
from khub.components.converters.source_reader import IN_A_CIRCLE, status_of
from khub.components.errors import SourceError
from khub.components.failed_file import FailedFile, failed_file
from khub.components.home import hub_home
from khub.components.text.hidden_names import is_hidden
from khub.server.library.ignore_rules import PACKAGES, rules_above

MOST_NAMED = 1000
"""So many files that are passed over are named; of more there is the number."""
BY_RULE, OF_OTHERS = "a .gitignore leaves it out", "it holds installed packages"


@dataclass
class Sources:
    """Files to ingest, and named paths that cannot be.

    :param files: absolute paths, each once, in the order in which they were named, folders sorted by name.
    :param failed: paths that do not exist or cannot be entered, and of what is
        neither file nor folder: pipes, sockets, devices, links that lead nowhere.
    :param passed_over: `{source, reason}` of files in named folders whose kind is not read, and of files and folders
        that a `.gitignore` leaves out, or that hold installed packages, `MOST_NAMED` at most.
    :param passed_over_count: how many they are.
    :param ignored_count: how many of them are left out so; a folder with all that is in it counts as one.
    :param links_left: symbolic links that lead out of the named folder and were not followed.
    """

    files: list[str] = field(default_factory=list)
    failed: list[FailedFile] = field(default_factory=list)
    passed_over: list[dict[str, str]] = field(default_factory=list)
    passed_over_count: int = 0
    ignored_count: int = 0
    links_left: list[str] = field(default_factory=list)

    def pass_over(self, file: Path) -> None:
        """Note a file whose kind is not read."""
        self._name(file, why_not_read(file))

    def leave_out(self, path: Path) -> None:
        """Note a file or folder that a `.gitignore`, or its name, leaves out."""
        self.ignored_count += 1
        self._name(path, OF_OTHERS if path.name == PACKAGES else BY_RULE)

    def _name(self, path: Path, reason: str) -> None:
        self.passed_over_count += 1
        if len(self.passed_over) < MOST_NAMED:
            self.passed_over.append({"source": _shown(path), "reason": reason})

    def without_passed_over(self, files: Collection[str]) -> "Sources":
        """Return these sources without saying of some files that they are passed over: they are documents already."""
        said = [one for one in self.passed_over if one["source"] not in files]
        count = self.passed_over_count - (len(self.passed_over) - len(said))
        return replace(self, passed_over=said, passed_over_count=count)


def collect_sources(
    paths: Iterable[str], with_ignored: bool = False, extensions: Collection[str] = SUPPORTED_EXTENSIONS
) -> Sources:
    """Expand folders; a file that is named itself is taken whatever its kind. Only `.gitignore` files are opened.

    Hidden files and folders, what a `.gitignore` leaves out, `node_modules`, and the hub's own folder, are passed
    over. Symbolic links are followed only where they stay within the named folder.

    :param with_ignored: whether what a `.gitignore` leaves out, and `node_modules`, is taken, too.
    :param extensions: of the files that are taken out of folders, see `extensions_of`.
    """
    sources, seen = Sources(), set()
    for name in paths:
        path = absolute(name)
        if not _is_there(path, sources):
            continue
        for file in _walk(path, sources, with_ignored, extensions) if path.is_dir() else [path]:
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
        sources.failed.append(failed_file(_shown(path), "check", error))
        return False
    return True


def absolute(name: str) -> Path:
    """Return a path that a person names from the root on: a file has one name, whatever folder it is named from."""
    return Path(os.path.abspath(Path(name).expanduser()))  # noqa: PTH100 - Path.absolute() keeps the dots of ../x


def _walk(root: Path, sources: Sources, with_ignored: bool, extensions: Collection[str]) -> Iterator[Path]:
    real_root, home = root.resolve(), hub_home()

    def failed(error: OSError) -> None:
        _fail(sources, Path(error.filename or root), f"cannot be entered ({error.strerror})", "check its permissions")

    def unread(error: OSError) -> None:
        _fail(sources, Path(error.filename or root), f"cannot be read ({error.strerror})", "check its permissions")

    rules = {str(root): rules_above(root, with_ignored, unread)}
    for folder, folders, files in os.walk(root, onerror=failed, followlinks=False):
        here, own = Path(folder), rules.pop(folder).within(folder, unread)
        entered = sorted(name for name in folders if not is_hidden(name) and here / name != home)
        folders[:] = [name for name in entered if not own.leave_out(str(here / name), is_folder=True)]
        for name in sorted(set(entered).difference(folders)):
            sources.leave_out(here / name)
        rules |= {str(here / name): own for name in folders}
        linked = [here / name for name in folders if (here / name).is_symlink()]
        sources.links_left += [_shown(link) for link in linked if not _leads_into(link, real_root)]
        for file in (here / name for name in sorted(files) if not is_hidden(name)):
            if own.leave_out(str(file)):
                sources.leave_out(file)
            elif file.is_symlink() and not _leads_into(file, real_root):
                sources.links_left.append(_shown(file))
            elif file.suffix.lower() in extensions or _is_special(file):
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
    sources.failed.append(failed_file(_shown(path), "check", SourceError(f"{str(path)!r} {error}", remedy)))


def _shown(path: Path) -> str:
    """Return the path as text that can be printed and stored, whatever bytes its name is made of."""
    return str(path).encode(errors="backslashreplace").decode()
