"""The files attached to a message: which of them are taken out, where to, and what is said of the others."""

import mimetypes
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from khub.components.converters.file_types import MAIL_TYPE, SAVE_AS, doc_type_of
from khub.components.converters.source_reader import MEGABYTE
from khub.components.errors import SourceError
from khub.components.private_files import owners_alone
from khub.components.text.file_names import safe_name
from khub.components.text.hidden_characters import without_hidden

MOST_FILES = 100
MOST_IN_ARCHIVE = 1000
DEEPEST = 3
"""So many mails and archives in each other are opened, the file itself among them."""
_NAMED = 10
_ARCHIVES = frozenset({".7z", ".rar", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst"})
_SAVE_IT = "save it as a file, and ingest that"
_KINDS = mimetypes.MimeTypes()  # not those of the machine: names must be the same on each
_BROKEN = (LookupError, ValueError, TypeError, AttributeError, RecursionError, OSError, struct.error)
"""What the parsers of mails raise for a part that is no sound one."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file attached to a message.

    :param given: its name, as the message has it; may be "".
    :param kind: its media type; may be "".
    :param read: returns its bytes.
    :param folder: of an archive in which it lies, of safe names; "" for none.
    :param size: bytes that it will have, as far as that is known.
    """

    given: str
    kind: str
    read: Callable[[], bytes]
    folder: str = ""
    size: int = 0


@dataclass(slots=True)
class Room:
    """How much may be taken out of a mail, for the whole of it.

    :param size: bytes.
    :param most_mb: megabytes that all of it may have, for the message.
    :param files: number of files.
    :param most_files: how many it was, for the message.
    :param depth: how many mails are around what is attached.
    :param folder: where to, a private one.
    """

    size: int
    most_mb: float
    files: int = MOST_FILES
    most_files: int = MOST_FILES
    depth: int = 1
    folder: str = ""


def room_for(doc_type: str, max_mb: float) -> Room:
    """Return the room of a file in which others lie.

    :param max_mb: largest accepted file, in megabytes: so much may all of them have together.
    """
    most = MOST_FILES if doc_type == MAIL_TYPE else MOST_IN_ARCHIVE
    return Room(int(max_mb * MEGABYTE), max_mb, most, most)


@dataclass(slots=True)
class Unpacked:
    """What came of the attachments of a message.

    :param names: of all, in their order: safe as names of files, and each once.
    :param taken: names of those that now lie in the folder, in their order.
    :param left: name -> why it was left out, and what to do.
    """

    names: list[str] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)
    left: dict[str, tuple[str, str]] = field(default_factory=dict)

    def told(self) -> list[dict[str, Any]]:
        """Return `{"reason", "remedy", "names", "count"}` for each reason why files were left out."""
        groups: dict[tuple[str, str], list[str]] = {}
        for name, why in self.left.items():
            groups.setdefault(why, []).append(name)
        return [
            {"reason": reason, "remedy": remedy, "names": names[:_NAMED], "count": len(names)}
            for (reason, remedy), names in groups.items()
        ]

    def listed(self, label: str, most: int) -> str:
        """Return a list of the names, with why those were left out that were; "" for none."""
        if not self.names:
            return ""
        lines = [f"* {name}{self._why(name)}" for name in self.names[:most]]
        more = len(self.names) - len(lines)
        return "\n".join([f"{label}:", "", *lines, *([f"* and {more} more"] if more else [])])

    def _why(self, name: str) -> str:
        return f" (not read: {self.left[name][0]})" if name in self.left else ""


def unpack(attachments: Sequence[Attachment], room: Room | None) -> Unpacked:
    """Write the attachments of a kind that the hub reads into a folder.

    :param attachments: in their order in the message.
    :param room: None: nothing is taken out, and of nothing is it said that it was left out.
    """
    unpacked = Unpacked(_names(attachments))
    if room is None:
        return unpacked
    for attachment, name in zip(attachments, unpacked.names, strict=True):
        why = _not_read(name) or _no_room(room, len(unpacked.taken)) or _take(attachment, name, room)
        if why is None:
            unpacked.taken.append(name)
        else:
            unpacked.left[name] = why
    return unpacked


def _not_read(name: str) -> tuple[str, str] | None:
    suffix = Path(name).suffix.lower()
    if suffix in _ARCHIVES:
        return "an archive of its kind is not opened", "unpack it, and ingest what is in it"
    if suffix in SAVE_AS:
        return "files of its kind are not read", f"save it as {SAVE_AS[suffix]}, and ingest that"
    if doc_type_of(Path(name)) is None:
        return "files of its kind are not read", "leave it, or save it as another kind and ingest that"
    return None


def _no_room(room: Room, taken: int) -> tuple[str, str] | None:
    if room.depth > DEEPEST:
        return f"mails and archives in each other are opened {DEEPEST} deep", _SAVE_IT
    if taken >= room.files:
        return f"no more than {room.most_files} files of it are read", _SAVE_IT
    return None


def _take(attachment: Attachment, name: str, room: Room) -> tuple[str, str] | None:
    try:
        data = attachment.read() if attachment.size <= room.size else None
    except _BROKEN as error:
        return f"it cannot be taken out ({type(error).__name__})", _SAVE_IT
    if data is None or len(data) > room.size:
        return f"its files may have {room.most_mb:g} MB together", _SAVE_IT
    if not data:
        return "it is empty (0 bytes)", "leave it out"
    try:
        path = Path(room.folder) / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(path, "xb", opener=owners_alone) as file:
            file.write(data)
    except OSError as error:
        return f"it cannot be written ({error.strerror})", _SAVE_IT
    room.size -= len(data)
    return None


def _names(attachments: Iterable[Attachment]) -> list[str]:
    """Return names of files, each once on any file system."""
    names: dict[str, str] = {}
    repeats: Counter[str] = Counter()
    for attachment in attachments:
        first = name = _name(attachment)
        while name.casefold() in names:
            repeats[first.casefold()] += 1
            suffix = Path(first).suffix
            name = f"{first.removesuffix(suffix)} ({repeats[first.casefold()] + 1}){suffix}"
        names[name.casefold()] = name
    return list(names.values())


def _name(attachment: Attachment) -> str:
    try:
        name = safe_name(without_hidden(attachment.given))
    except SourceError:
        name = "attachment"
    if doc_type_of(Path(name)) is None:  # its media type may tell what the name does not
        suffix = _KINDS.guess_extension(attachment.kind) or ""
        if not Path(name).suffix or doc_type_of(Path(f"a{suffix}")) is not None:
            name += suffix
    return f"{attachment.folder}/{name}" if attachment.folder else name
