"""The folders from which a client may have files ingested."""

from collections.abc import Sequence
from pathlib import Path

from khub.components.errors import SourceError


def confined(names: Sequence[str], roots: Sequence[Path]) -> list[str]:
    """Return the real paths of files and folders that lie in one of the folders, links followed.

    :param names: paths, absolute or from one of the folders on.
    :param roots: the folders.
    :raises SourceError: for a path that leads out of them, or to nothing.
    """
    if not roots:
        raise SourceError("this server may not read any folder", "start it with --root DIR", code="source_not_allowed")
    return [str(_real(name, [root.expanduser().resolve() for root in roots])) for name in names]


def _real(name: str, roots: Sequence[Path]) -> Path:
    shown = ", ".join(map(str, roots))
    if "\0" in name or ".." in Path(name.replace("\\", "/")).parts:
        raise SourceError(
            f"the path {name[:200]!r} cannot be used",
            f"name a path without '..' in: {shown}",
            code="source_not_allowed",
        )
    outside = False
    for root in roots:
        try:
            path = (root / name).resolve()
            if path.is_relative_to(root) and path.exists():
                return path
            outside = outside or not path.is_relative_to(root)
        except (OSError, ValueError, RuntimeError) as error:
            raise SourceError(
                f"the path {name[:200]!r} cannot be used ({error})", f"name one in: {shown}", code="source_not_allowed"
            ) from error
    if outside:
        raise SourceError(
            f"the path {name[:200]!r} lies outside of what this server may read",
            f"that is: {shown}",
            code="source_not_allowed",
        )
    raise SourceError(f"the path {name[:200]!r} does not exist", f"name one in: {shown}", code="source_missing")
