"""What every source does, and what is said of what lies in one."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

from khub.components.errors import SourceError

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Item:
    """Something that can become a document.

    :param id: names it within its source, whatever its content is.
    :param name: path with `/` under which it is kept; the extension says how it is read.
    :param version: changes with the content; None where the source cannot say, so that it is read each time.
    :param url: address of the origin that a reader can open; empty where there is none.
    :param modified: time of the last change, ISO 8601 in UTC; None if unknown.
    """

    id: str
    name: str
    version: str | None = None
    url: str = ""
    modified: str | None = None


@dataclass(frozen=True)
class KnownItem:
    """What is kept of an item since it was read.

    :param path: where its content lies on this machine.
    """

    version: str | None
    url: str
    path: Path


@dataclass
class Notes:
    """What a source says while it lists.

    :param incomplete: why not all was listed; nothing that is missing counts as gone then.
    :param left_out: `{source, reason}` of what is there and cannot become a document.
    """

    incomplete: list[str] = field(default_factory=list)
    left_out: list[dict[str, str]] = field(default_factory=list)

    def leave_out(self, what: str, reason: str) -> None:
        """Note what is there and is not read."""
        self.left_out.append({"source": what, "reason": reason})


@dataclass(frozen=True)
class Options:
    """What holds for every source.

    :param scratch: folder for what is on its way; whoever made it deletes it.
    :param kept: folder that stays from one time to the next, for what the source itself needs; made by it.
    :param max_mb: largest item, in megabytes.
    :param max_items: so many are taken.
    :param private: whether addresses of this machine and of private networks may be asked.
    :param extensions: lower-case extensions, with their dot, of what the ingest graph reads.
    :param more: further settings of the source, by the names that its class declares.
    """

    scratch: Path
    kept: Path
    max_mb: float = 200
    max_items: int = 100_000
    private: bool = False
    extensions: frozenset[str] = frozenset()
    more: Mapping[str, Any] = field(default_factory=dict)

    def scratch_file(self) -> Path:
        """Make an empty file for what is on its way."""
        opened, name = tempfile.mkstemp(dir=self.scratch)
        os.close(opened)  # a walk meets thousands of pages, and a process may have a thousand files open
        return Path(name)

    def why_not(self, name: str, size: int = 0) -> str:
        """Return why a file is not read; empty if it is.

        :param size: in bytes.
        """
        suffix = PurePosixPath(name).suffix.lower()
        if suffix not in self.extensions:
            return f"files of the kind {suffix or 'without extension'!r} are not read"
        return f"it is larger than {self.max_mb:g} MB" if size > self.max_mb * MEGABYTE else ""


def number(more: Mapping[str, Any], name: str, default: float, least: float) -> float:
    """Return the value of a setting that is a number.

    :raises SourceError: if it is none, or too small.
    """
    value = more.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or value < least:
        raise SourceError(
            f"the setting {name!r} of a source is {value!r}",
            f"set it to a number from {least} on",
            code="setting_invalid",
        )
    return float(value)


class Source(Protocol):
    """Lists what is there, and reads one; made of the address behind its scheme, and of `Options`."""

    def items(self, known: Mapping[str, KnownItem], notes: Notes) -> Iterator[Item]:
        """Yield what is there.

        :param known: by id, what was read before: what is still the same need not be fetched.
        :param notes: take what is to be said.
        :raises SourceError: if nothing can be listed, or the listing ends before its time.
        """

    def read(self, item: Item, target: Path) -> None:
        """Write the content of an item that was just listed to a file.

        :raises SourceError: if it cannot be had.
        """

    def close(self) -> None:
        """Let go of connections."""
