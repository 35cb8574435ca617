"""The files in an archive, each a document of its own: `zip:papers.zip`, `tar:papers.tar.gz`."""

import bz2
import gzip
import hashlib
import lzma
import tarfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import IO, Any

from khub.components.errors import SourceDamagedError, SourceError, SourceSizeError
from khub.components.private_files import owners_alone
from khub.components.sources.source import Item, KnownItem, Notes, Options
from khub.components.text.hidden_names import is_hidden

MEGABYTE = 1_000_000
MOST_UNPACKED_MB = 20_000
RATIO = 200
"""What unpacks to so many times its packed size is made to fill a disk; below `RATIO_FROM` bytes nobody asks."""
RATIO_FROM = 10 * MEGABYTE
MOST_HEADER = MEGABYTE
"""So much a tar may say of one entry, its long name included."""
TOO_LONG = f"it says more than {MOST_HEADER / MEGABYTE:g} MB of one entry"
BLOCK = 1 << 20
ENCRYPTED = 1


class Source:
    """Reads a `.zip`, or a `.tar` however it is packed; links, devices and encrypted entries are left out.

    :param address: `zip:` or `tar:` and a path.
    :param options: as for all sources.
    """

    SETTINGS = ()

    def __init__(self, address: str, options: Options) -> None:
        scheme, _, name = address.partition(":")
        self._is_tar = scheme == "tar"
        self._path = Path(name).expanduser().absolute()
        self._options = options
        self._bodies: dict[str, Path] = {}

    def items(self, known: Mapping[str, KnownItem], notes: Notes) -> Iterator[Item]:
        """Yield the files whose kind is read."""
        try:
            yield from self._of_tar(notes) if self._is_tar else self._of_zip(known, notes)
        except FileNotFoundError as error:
            raise SourceError(f"there is no archive {str(self._path)!r}", "check the spelling") from error
        except (
            OSError,
            EOFError,
            ValueError,
            OverflowError,
            RecursionError,
            zlib.error,
            lzma.LZMAError,
            zipfile.BadZipFile,
            tarfile.TarError,
            NotImplementedError,
        ) as e:
            raise SourceDamagedError(f"the archive {self._path.name!r} is damaged ({e})", "save it again") from e

    def read(self, item: Item, target: Path) -> None:
        """Put what was unpacked while listing into its place."""
        self._bodies.pop(item.id).replace(target)

    def close(self) -> None:
        """Do nothing: no file stays open."""

    def _of_zip(self, known: Mapping[str, KnownItem], notes: Notes) -> Iterator[Item]:
        whole = 0
        with zipfile.ZipFile(self._path) as archive:
            for entry in archive.infolist():
                if entry.is_dir() or not self._is_wanted(entry.filename, entry.file_size, notes):
                    continue
                if entry.flag_bits & ENCRYPTED:
                    notes.leave_out(entry.filename, "it is encrypted")
                    continue
                if entry.file_size > RATIO_FROM and entry.file_size > RATIO * max(1, entry.compress_size):
                    notes.leave_out(entry.filename, f"it would unpack to {entry.file_size / MEGABYTE:,.0f} MB")
                    continue
                version = f"{entry.CRC:08x}-{entry.file_size}"
                whole = self._added(whole, entry.file_size)
                before = known.get(entry.filename)
                if before is None or before.version != version:
                    with archive.open(entry) as stream:
                        self._bodies[entry.filename], _ = self._unpacked(stream)
                made = datetime(*entry.date_time).isoformat() if entry.date_time[0] > 1980 else None
                yield Item(entry.filename, _name(entry.filename), version, modified=made)
                self._drop(entry.filename)

    def _of_tar(self, notes: Notes) -> Iterator[Item]:
        """Read twice: only the end tells which entry of a name is the last one, as which a tar means it."""
        left = Counter(hash(entry.name) for _, entry in self._entries())
        whole = 0
        for archive, entry in self._entries():
            left[hash(entry.name)] -= 1
            if left[hash(entry.name)] > 0:
                continue
            if not entry.isreg():
                if not entry.isdir():
                    notes.leave_out(entry.name, "it is a link or a device")
                continue
            if not self._is_wanted(entry.name, entry.size, notes):
                continue
            whole = self._added(whole, entry.size)
            if (content := archive.extractfile(entry)) is None:
                continue
            body, version = self._unpacked(content)
            self._bodies[entry.name] = body
            if body.stat().st_size != entry.size:
                raise EOFError(f"{entry.name} is cut off")
            made = datetime.fromtimestamp(entry.mtime, UTC).isoformat() if entry.mtime > 0 else None
            yield Item(entry.name, _name(entry.name), version, modified=made)
            self._drop(entry.name)
        if any(left.values()):
            raise EOFError("it changed while it was read")

    def _entries(self) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
        """Yield what a tar holds, in one pass: what is packed has no places."""
        end = _End(_unpacking(self._path))
        stream: Any = end
        with end.file, tarfile.open(fileobj=stream, mode="r|") as opened:
            archive: Any = opened
            while (entry := archive.next()) is not None:
                archive.members.clear()  # it would keep them all
                if sum(len(name) + len(value) for name, value in archive.pax_headers.items()) > MOST_HEADER:
                    raise tarfile.ReadError(TOO_LONG)
                self._added(0, archive.offset)  # all of it is unpacked, what is left out, too
                end.is_header = False
                yield archive, entry
                archive.fileobj.seek(archive.offset)
                end.is_header, end.since = True, 0
        if end.last.strip(b"\0"):  # an archive ends with blocks of zeros
            raise EOFError("it is cut off")

    def _drop(self, name: str) -> None:
        """Delete what was unpacked and nobody read."""
        if (body := self._bodies.pop(name, None)) is not None:
            body.unlink()

    def _is_wanted(self, name: str, size: int, notes: Notes) -> bool:
        path = PurePosixPath(name.replace("\\", "/"))
        if any(is_hidden(part) for part in path.parts if part not in (".", "..")):
            return False
        if reason := self._options.why_not(name, size):
            notes.leave_out(name, reason)
        return not reason

    def _added(self, whole: int, size: int) -> int:
        if whole + size > MOST_UNPACKED_MB * MEGABYTE:
            raise SourceSizeError(
                f"the archive {self._path.name!r} would unpack to more than {MOST_UNPACKED_MB:,} MB", "split it"
            )
        return whole + size

    def _unpacked(self, stream: IO[bytes]) -> tuple[Path, str]:
        body, digest, size = self._options.scratch_file(), hashlib.sha256(), 0
        with open(body, "wb", opener=owners_alone) as file:
            while block := stream.read(BLOCK):
                size += len(block)
                if size > self._options.max_mb * MEGABYTE:  # its directory said less
                    raise SourceSizeError(f"an entry of {self._path.name!r} is larger than it says", "save it again")
                digest.update(block)
                file.write(block)
        return body, digest.hexdigest()


class _End:
    """A file that remembers how it ended, and ends endless headers: `tarfile` takes both for right."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.last = b""
        self.is_header = True
        self.since = 0

    def read(self, size: int) -> bytes:
        """Read, and remember the last block.

        :raises tarfile.ReadError: while a header is read that does not end.
        """
        data = self.file.read(size)
        self.since += len(data)
        if self.is_header and self.since > MOST_HEADER:
            raise tarfile.ReadError(TOO_LONG)
        self.last = (self.last + data)[-tarfile.BLOCKSIZE :]
        return data


def _unpacking(path: Path) -> IO[bytes]:
    """Return the content of a file, unpacked; unlike those of `tarfile` these readers see that one was cut off."""
    with path.open("rb") as file:
        magic = file.read(6)
    for mark, unpack in ((b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ", lzma.open)):
        if magic.startswith(mark):
            found: Any = unpack(path, "rb")
            return found  # type: ignore[no-any-return]
    return path.open("rb")


def _name(name: str) -> str:
    return name.replace("\\", "/")
