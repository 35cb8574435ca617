"""Mailboxes: many messages in one file, each below a line that begins with `From ` (RFC 4155)."""

import re
from email import message_from_bytes, policy
from email.message import MIMEPart
from functools import partial

from khub.components.converters.mail.attachment import Attachment
from khub.components.converters.mail.headers import header_text
from khub.components.errors import SourceDamagedError
from khub.components.text.file_names import NOT_IN_NAMES

_BEGINNING = re.compile(rb"(?:\A|(?<=\n)\r?\n)From (?=[^\n]*\b\d{4}\b)[^\n]*+\n")
_ESCAPED = re.compile(rb"^>(?=>*From )", re.MULTILINE)
_HEAD_BYTES = 65_536
_LONGEST_SUBJECT = 80


def messages_of(data: bytes, name: str) -> list[Attachment]:
    """Return the messages of a mailbox, each called by its subject.

    :param data: the file.
    :param name: its name, for messages.
    :raises SourceError: when there is none in it.
    """
    found = list(_BEGINNING.finditer(data))
    if not found or data[: found[0].start()].strip():
        raise SourceDamagedError(f"{name!r} is no mailbox", "export it from the mail program again, or replace it")
    ends = [following.start() for following in found[1:]] + [len(data)]
    places = [(one.end(), end) for one, end in zip(found, ends, strict=True)]
    return [
        Attachment(
            f"{_subject(data[start : min(end, start + _HEAD_BYTES)])}.eml",
            "message/rfc822",
            partial(_message, data, start, end),
        )
        for start, end in places
    ]


def _message(data: bytes, start: int, end: int) -> bytes:
    return _ESCAPED.sub(b"", data[start:end])


def _subject(head: bytes) -> str:
    mail = message_from_bytes(head, policy=policy.default)
    assert isinstance(mail, MIMEPart)
    subject = NOT_IN_NAMES.sub(" ", header_text(mail, "Subject")).replace("/", " ").replace("\\", " ")
    return subject[:_LONGEST_SUBJECT].strip() or "message"
