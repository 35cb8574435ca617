"""Files in which others lie: ZIP archives and mailboxes, behind MarkItDown's front door."""

from pathlib import PurePath
from typing import Any, BinaryIO

from markitdown import DocumentConverter, StreamInfo

from khub.components.catalog.parts import LEFT, PARTS
from khub.components.converters.mail.attachment import MOST_IN_ARCHIVE, unpack
from khub.components.converters.mail.mailbox import messages_of
from khub.components.converters.mail.zip_members import members_of
from khub.components.converters.structured_result import StructuredResult


class ArchiveConverter(DocumentConverter):
    """Reads the names of what is in it, and takes out the files that can be read, as those attached to a mail are."""

    def accepts(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> bool:  # noqa: ARG002
        """Accept by the name alone: MarkItDown takes a damaged office file for an archive, which it is, too."""
        return PurePath(stream_info.filename or "").suffix.lower() in {".zip", ".mbox"}

    def convert(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> StructuredResult:
        """Read the archive.

        :param file_stream: the file.
        :param stream_info: its `filename` tells an archive from a mailbox.
        :param kwargs: `room`, a `Room` for what is in it, or None.
        :returns: a list of the names; `attachments`, `parts` and `attachments_left` as metadata, see `message_result`.
        :raises SourceError: when it is no mailbox.
        """
        name = stream_info.filename or "the file"
        is_mailbox = name.lower().endswith(".mbox")
        data = file_stream.read()
        members = messages_of(data, name) if is_mailbox else members_of(data)
        unpacked = unpack(members, kwargs.get("room"))
        text = unpacked.listed("Messages" if is_mailbox else "Files", MOST_IN_ARCHIVE)
        metadata = {
            "attachments": unpacked.names[:MOST_IN_ARCHIVE], PARTS: unpacked.taken, LEFT: unpacked.told(),
        }  # fmt: skip
        return StructuredResult(text, title=PurePath(name).stem, metadata=metadata, heading_is_title=False)
