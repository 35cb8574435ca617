"""E-mail messages, behind MarkItDown's front door."""

from typing import Any, BinaryIO

from markitdown import DocumentConverter, StreamInfo

from khub.components.converters.mail.eml import read_eml
from khub.components.converters.mail.message import message_result
from khub.components.converters.mail.msg import read_msg
from khub.components.converters.structured_result import StructuredResult


class MailConverter(DocumentConverter):
    """Reads a message with its head and body, and takes out of it the attached files that can be read."""

    def accepts(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> bool:  # noqa: ARG002
        """Accept by extension alone."""
        return stream_info.extension in {".eml", ".msg"}

    def convert(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> StructuredResult:
        """Read the message.

        :param file_stream: the file.
        :param stream_info: its `extension` tells Outlook's own format from the common one.
        :param kwargs: `room`, a `Room` for the attached files, or None.
        :returns: the Markdown, and from, to, cc, date, subject and attachments as metadata, see `message_result`.
        :raises SourceError: when it is no message, or its format cannot be read here.
        """
        name = stream_info.filename or "the file"
        read = read_msg if stream_info.extension == ".msg" else read_eml
        return message_result(read(file_stream.read(), name), kwargs.get("room"))
