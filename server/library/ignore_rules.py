"""What is left out of a folder: by `.gitignore` files in it and above it up to its repository's root, or by name."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

NAME = ".gitignore"
PACKAGES = "node_modules"
"""The folder in which package managers of JavaScript put what others wrote: mostly far more than is beside it."""


@dataclass(frozen=True)
class IgnoreRules:
    """Rules that hold in a folder: as git reads them, those of the nearest file come first.

    :param files: folder and rules of each file, the outermost first.
    :param heeded: whether there may be rules at all.
    """

    files: tuple[tuple[str, GitIgnoreSpec], ...] = ()
    heeded: bool = True

    def leave_out(self, path: str, is_folder: bool = False) -> bool:
        """Say whether a file or folder in the folder is left out; with a folder goes what is in it.

        :param path: absolute.
        """
        for folder, spec in reversed(self.files):
            below = path[len(folder) :].lstrip(os.sep)
            said = spec.check_file(below + os.sep if is_folder else below).include
            if said is not None:
                return said
        return self.heeded and is_folder and os.path.basename(path) == PACKAGES  # noqa: PTH119 - called for each folder

    def within(self, folder: str, failed: Callable[[OSError], None]) -> "IgnoreRules":
        """Return the rules that hold in a folder in the folder, or in itself: its own file's, too.

        :param folder: absolute.
        :param failed: is told of a file that cannot be read; its rules do not hold.
        """
        file = Path(folder) / NAME
        try:
            if not self.heeded or file.is_symlink() or not file.is_file():
                return self
            lines = file.read_text(encoding="utf-8-sig", errors="replace").split("\n")
        except OSError as error:
            failed(error)
            return self
        return IgnoreRules((*self.files, (folder, GitIgnoreSpec(list(_patterns(lines))))))


def rules_above(folder: Path, with_ignored: bool, failed: Callable[[OSError], None]) -> IgnoreRules:
    """Return the rules that hold in a named folder by the files above it; none where they leave the folder out itself.

    :param folder: absolute.
    :param with_ignored: whether what is left out is wanted, too: then there are no rules in it either.
    :param failed: as for `IgnoreRules.within`.
    """
    if with_ignored:
        return IgnoreRules(heeded=False)
    repository = next((one for one in (folder, *folder.parents) if (one / ".git").exists()), folder)
    rules = IgnoreRules()
    for above in reversed(folder.parents):
        if above.is_relative_to(repository):
            rules = rules.within(str(above), failed)
    return IgnoreRules() if rules.leave_out(str(folder), is_folder=True) else rules


def _patterns(lines: list[str]) -> Iterator[GitIgnoreSpecPattern]:
    for line in lines:
        try:
            yield GitIgnoreSpecPattern(line)
        except ValueError:  # git passes over what is no pattern, too
            continue
