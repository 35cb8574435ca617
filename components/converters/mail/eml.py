"""Messages in the Internet's own format (RFC 5322)."""

from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage, MIMEPart
from email.utils import parsedate_to_datetime
from functools import partial

from khub.components.converters.mail.attachment import Attachment
from khub.components.converters.mail.calendar import calendar_text
from khub.components.converters.mail.charset import text_by_label
from khub.components.converters.mail.flowed import unflowed
from khub.components.converters.mail.headers import charset_of, file_name, header_text
from khub.components.converters.mail.message import Message
from khub.components.errors import SourceDamagedError
from khub.components.text.file_names import NOT_IN_NAMES
from khub.components.text.terminal_codes import without_terminal_codes

_EXPECTED = ("From", "To", "Subject", "Date", "Received", "Message-ID")
_LONGEST_SUBJECT = 80


def read_eml(data: bytes, name: str) -> Message:
    """Read an `.eml` file.

    :param data: the file.
    :param name: its name, for messages.
    :returns: the message.
    :raises SourceError: when it has no header of a message.
    """
    mail = message_from_bytes(data.lstrip(), policy=policy.default)
    assert isinstance(mail, EmailMessage)
    if not any(mail[key] for key in _EXPECTED):
        raise SourceDamagedError(f"{name!r} is no e-mail message", "save it from the mail program again, or replace it")
    message = Message(
        subject=header_text(mail, "Subject"),
        sender=header_text(mail, "From"),
        to=header_text(mail, "To"),
        cc=header_text(mail, "Cc"),
        date=_date(mail),
    )
    parts = list(_parts(mail))
    for part in parts:
        if not _is_attached(part):
            _read_body(part, message)
    for part in parts:
        if _is_embedded(part, message):
            message.embedded[_content_id(part)] = _bytes(part)
        elif _is_attached(part):
            message.attachments.append(_attachment(part))
    return message


def _parts(part: MIMEPart) -> Iterator[MIMEPart]:
    """Yield the parts that hold something; an attached message is one."""
    if part.get_content_maintype() != "multipart":
        yield part
        return
    for inner in part.iter_parts():
        yield from _parts(inner)


def _is_attached(part: MIMEPart) -> bool:
    if part.get_content_type() == "text/calendar":  # what an invitation is called says nothing
        return part.get_content_disposition() == "attachment"
    return bool(
        part.get_content_type() == "message/rfc822"
        or file_name(part)
        or part.get_content_disposition() == "attachment"
        or (part.get_content_maintype() == "image" and part["Content-ID"])
    )


def _is_embedded(part: MIMEPart, message: Message) -> bool:
    """Say whether a part is a picture of the body: some programs give each attached file a content id, too."""
    if part.get_content_maintype() != "image" or not (content_id := _content_id(part)):
        return False
    return f"cid:{content_id}" in message.html or part.get_content_disposition() != "attachment"


def _content_id(part: MIMEPart) -> str:
    return str(part["Content-ID"] or "").strip().strip("<>")


def _attachment(part: MIMEPart) -> Attachment:
    given, kind = file_name(part) or "", part.get_content_type()
    if kind != "message/rfc822" or not part.is_multipart():
        return Attachment(given, kind, partial(_bytes, part))
    inner = part.get_payload(0)
    assert isinstance(inner, EmailMessage)
    subject = NOT_IN_NAMES.sub(" ", header_text(inner, "Subject")).replace("/", " ").replace("\\", " ")
    return Attachment(given or f"{subject[:_LONGEST_SUBJECT].strip() or 'message'}.eml", kind, partial(_as_file, inner))


def _as_file(mail: EmailMessage) -> bytes:
    return mail.as_bytes(policy=policy.default.clone(refold_source="none"))


def _bytes(part: MIMEPart) -> bytes:
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _read_body(part: MIMEPart, message: Message) -> None:
    kind, text = part.get_content_type(), without_terminal_codes(text_by_label(_bytes(part), charset_of(part)))
    if kind == "text/html":
        message.html += text
    elif kind == "text/calendar":
        message.events += filter(None, [calendar_text(text)])
    elif part.get_content_maintype() == "text":
        if str(part.get_param("format", "")).lower() == "flowed":
            text = unflowed(text, str(part.get_param("delsp", "")).lower() == "yes")
        message.text = f"{message.text.rstrip()}\n\n{text}" if message.text.strip() else text


def _date(mail: EmailMessage) -> str:
    try:
        return parsedate_to_datetime(str(mail["Date"])).isoformat(" ")
    except (TypeError, ValueError):
        return header_text(mail, "Date")
