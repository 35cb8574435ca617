"""Where the physical indexes of a collection lie."""

import shutil
from pathlib import Path


def sparse_folder(home: Path, physical: str) -> Path:
    """Return the folder of a keyword index."""
    return home / "sparse" / physical


def dense_folder(home: Path, physical: str) -> Path:
    """Return the folder in which the shipped graphs keep an embedded dense index (`{home}/dense/{collection}`)."""
    return home / "dense" / physical


def remove_old_generations(home: Path, slug: str, dense: int, sparse: int) -> None:
    """Delete the folders of generations that are not in use; what another process still holds open goes next time.

    :param dense: generation of the dense index in use; 0 if there is none.
    :param sparse: generation of the keyword index in use; 0 if there is none.
    """
    for folder, current in ((home / "dense", dense), (home / "sparse", sparse)):
        for old in folder.glob(f"{slug}_g*"):
            if old.name.removeprefix(f"{slug}_g").isdigit() and old.name != f"{slug}_g{current}":
                shutil.rmtree(old, ignore_errors=True)
