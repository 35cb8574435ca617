"""Messages in the Internet's own format (RFC 5322)."""

from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage, MIMEPart
from email.utils import parsedate_to_datetime

from components.converters.mail.message import Message
from components.converters.text_decoder import NotTextError, decode_text
from components.errors import SourceError

_EXPECTED = ("From", "To", "Subject", "Date", "Received", "Message-ID")


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
        raise SourceError(f"{name!r} is no e-mail message", "save it from the mail program again, or replace it")
    message = Message(
        subject=_header(mail, "Subject"),
        sender=_header(mail, "From"),
        to=_header(mail, "To"),
        cc=_header(mail, "Cc"),
        date=_date(mail),
    )
    for part in _parts(mail):
        _take(part, message)
    return message


def _parts(part: MIMEPart) -> Iterator[MIMEPart]:
    """Yield the parts that hold something; an attached message is one."""
    if part.get_content_maintype() != "multipart":
        yield part
        return
    for inner in part.iter_parts():
        yield from _parts(inner)


def _take(part: MIMEPart, message: Message) -> None:
    kind, inside, file_name = part.get_content_type(), part.get_content_maintype(), part.get_filename()
    if kind == "message/rfc822":
        inner = part.get_payload(0) if part.is_multipart() else None
        subject = _header(inner, "Subject") if isinstance(inner, EmailMessage) else ""
        message.attachments.append(file_name or f"{subject or 'message'}.eml")
    elif part.get("Content-ID") and inside == "image":
        picture = part.get_payload(decode=True)
        message.embedded[str(part["Content-ID"]).strip().strip("<>")] = picture if isinstance(picture, bytes) else b""
    elif file_name or part.get_content_disposition() == "attachment":
        message.attachments.append(file_name or kind)
    elif kind == "text/html":
        message.html += _text(part)
    elif inside == "text":
        message.text += _text(part)


def _text(part: MIMEPart) -> str:
    try:
        return str(part.get_content())
    except (LookupError, UnicodeError, ValueError):  # an encoding that Python does not know
        data = part.get_payload(decode=True)
        try:
            return decode_text(data) if isinstance(data, bytes) else ""
        except NotTextError:
            return ""


def _header(mail: EmailMessage, name: str) -> str:
    return " ".join(str(mail[name] or "").split())


def _date(mail: EmailMessage) -> str:
    try:
        return parsedate_to_datetime(str(mail["Date"])).isoformat(" ")
    except (TypeError, ValueError):
        return _header(mail, "Date")
