"""Where the physical indexes of a collection lie."""

import shutil
from collections.abc import Iterable
from pathlib import Path


def sparse_root(home: Path) -> Path:
    """Return the folder of all keyword indexes."""
    return home / "sparse"


def sparse_folder(home: Path, physical: str) -> Path:
    """Return the folder of a keyword index."""
    return sparse_root(home) / physical


def remove_generations(roots: Iterable[Path], slug: str, keep: str = "") -> None:
    """Delete a collection's physical indexes that are not in use. Call it with the writer's lock held.

    What another process still holds open (Windows) stays, and goes the next time.

    :param roots: folders in which physical indexes lie, each under its name.
    :param keep: name of the physical index in use.
    """
    for root in roots:
        for folder in root.glob(f"{slug}_g*"):
            if folder.name.removeprefix(f"{slug}_g").isdigit() and folder.name != keep:
                shutil.rmtree(folder, ignore_errors=True)
