"""How much room the hub takes on the disk."""

from pathlib import Path

from khub.components.catalog.catalog import open_catalog
from khub.components.private_files import CATALOG
from khub.components.stores.bound_parts import bound_parts
from khub.components.stores.index_paths import sparse_folder

PARTS = {
    "catalog": (CATALOG, f"{CATALOG}-wal"),
    "vectors": ("dense",),
    "keywords": ("sparse",),
    "originals": ("originals",),
    "images": ("images",),
    "caches": ("cache",),
    "traces": ("logs/traces.*",),
    "logs": ("logs/app.*",),
    "other": ("jobs", "downloads", "uploads", "incoming", "eval"),
}
"""Part of the hub -> patterns of its files and folders; vectors of a server of their own are not on this disk."""


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of all files below a folder; 0 where there is nothing."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files if file.exists())


def stored_bytes(home: Path) -> dict[str, int]:
    """Return part of the hub -> its bytes."""
    return {
        part: sum(size_of(path) for pattern in patterns for path in home.glob(pattern))
        for part, patterns in PARTS.items()
    }


def index_bytes(collection: str) -> int:
    """Return the bytes of a collection's indexes, as far as they lie on this disk.

    :param collection: the name of one that exists.
    """
    catalog = open_catalog()
    state = catalog.index_states.state(collection)
    binding = catalog.collections.binding(collection)
    roots = bound_parts(binding)[1].roots(catalog.home) if binding else []
    folders = [
        sparse_folder(catalog.home, state.physical("sparse")),
        *(root / state.physical("dense") for root in roots),
    ]
    return sum(size_of(folder) for folder in folders)
