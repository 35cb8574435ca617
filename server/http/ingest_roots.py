"""The folders from which a service may ingest."""

import os
from collections.abc import Sequence
from pathlib import Path

from khub.components.catalog.access import caller
from khub.components.errors import SourceError
from khub.server.library.source_walk import absolute
from khub.server.reads.roots import confined

ROOTS = "KHUB_INGEST_ROOTS"


def ingest_roots() -> tuple[Path, ...]:
    """Return the folders that the environment names."""
    named = os.environ.get(ROOTS, "").split(os.pathsep)
    return tuple(Path(root).expanduser().resolve() for root in named if root.strip())


def within_roots(names: Sequence[str], roots: Sequence[Path]) -> list[str]:
    """Return the real paths of files and folders that lie in one of the folders, links followed.

    :raises SourceError: for a path that leads out of them, or to nothing; or if there is no such folder.
    """
    if not roots:
        raise SourceError("this service may read no folder", f"start it with {ROOTS}")
    return confined(names, roots)


def path_for_caller(name: str) -> str:
    """Return the absolute path of a file or folder from which the caller may ingest: the owner of the hub from any.

    :raises SourceError: as `within_roots` does, for a caller with a token.
    """
    return within_roots([name], ingest_roots())[0] if caller().name else str(absolute(name))
