"""What index files looked like after the last write, so that a broken one is seen before it is opened."""

import zlib
from collections.abc import Iterable
from pathlib import Path

Manifest = dict[str, list[int]]  # path relative to the index -> [size in bytes, mtime in ns, crc32]
READ_SIZE = 1 << 20


def describe(folder: Path, files: Iterable[Path], before: Manifest) -> Manifest:
    """Return the manifest of `files`; checksums are computed only for files that `before` does not show unchanged."""
    manifest: Manifest = {}
    for file in files:
        name, stat = file.relative_to(folder).as_posix(), file.stat()
        known = before.get(name)
        unchanged = known is not None and known[:2] == [stat.st_size, stat.st_mtime_ns]
        manifest[name] = known if unchanged and known else [stat.st_size, stat.st_mtime_ns, _crc32(file)]
    return manifest


def first_change(folder: Path, manifest: Manifest) -> str | None:
    """Return the first file that is missing or has another size or time than the manifest says, or None."""
    for name, (size, mtime, _) in manifest.items():
        try:
            stat = (folder / name).stat()
        except OSError:
            return name
        if (stat.st_size, stat.st_mtime_ns) != (size, mtime):
            return name
    return None


def first_damage(folder: Path, manifest: Manifest, thorough: bool = False) -> str | None:
    """Return the first file whose content is not what the manifest says, or None.

    :param thorough: compute every checksum; otherwise only those of files whose time changed.
    """
    for name, (size, mtime, checksum) in manifest.items():
        file = folder / name
        try:
            stat = file.stat()
            if stat.st_size != size:
                return name
            if (thorough or stat.st_mtime_ns != mtime) and _crc32(file) != checksum:
                return name
        except OSError:
            return name
    return None


def _crc32(file: Path) -> int:
    checksum = 0
    with file.open("rb") as stream:
        while block := stream.read(READ_SIZE):
            checksum = zlib.crc32(block, checksum)
    return checksum
