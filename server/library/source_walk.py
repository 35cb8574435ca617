"""From paths that a person names to the files that are meant."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from components.converters.file_types import doc_type_of
from components.home import hub_home


@dataclass
class Sources:
    """Files to ingest, and named paths that cannot be.

    :param files: absolute paths, each once, in the order in which they were named, folders sorted by name.
    :param failed: `{source, stage, error, remedy}` of paths that do not exist or cannot be entered.
    :param passed_over: number of files in named folders whose kind is not supported.
    :param links_left: symbolic links that lead out of the named folder and were not followed.
    """

    files: list[str] = field(default_factory=list)
    failed: list[dict[str, str]] = field(default_factory=list)
    passed_over: int = 0
    links_left: list[str] = field(default_factory=list)


def collect_sources(paths: Iterable[str]) -> Sources:
    """Expand folders; a file that is named itself is taken whatever its kind.

    Hidden files and folders, and the hub's own folder, are passed over. Symbolic links are followed only where they
    stay within the named folder.
    """
    sources, seen = Sources(), set()
    for name in paths:
        path = absolute(name)
        found = _walk(path, sources) if path.is_dir() else iter([path])
        if not path.exists():
            _fail(sources, path, "does not exist", "check the spelling")
            continue
        for file in found:
            if file in seen:
                continue
            seen.add(file)
            if _shown(file) != str(file):
                _fail(sources, file, "has a name that is not UTF-8", "rename it")
            else:
                sources.files.append(str(file))
    return sources


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
        sources.links_left += [_shown(link) for link in linked if not link.resolve().is_relative_to(real_root)]
        folders[:] = sorted(name for name in folders if not name.startswith(".") and here / name != home)
        for name in sorted(files):
            file = here / name
            if name.startswith("."):
                continue
            if file.is_symlink() and not file.resolve().is_relative_to(real_root):
                sources.links_left.append(_shown(file))
            elif doc_type_of(file) is not None:
                yield file
            else:
                sources.passed_over += 1


def _fail(sources: Sources, path: Path, error: str, remedy: str) -> None:
    sources.failed.append(
        {"source": _shown(path), "stage": "check", "error": f"{str(path)!r} {error}", "remedy": remedy}
    )


def _shown(path: Path) -> str:
    """Return the path as text that can be printed and stored, whatever bytes its name is made of."""
    return str(path).encode(errors="backslashreplace").decode()
