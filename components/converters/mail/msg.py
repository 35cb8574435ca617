"""Messages as Outlook saves them (MS-OXMSG, in an OLE file)."""

import datetime
import hashlib
import io
import re
import struct
from email.message import EmailMessage
from email.utils import format_datetime
from functools import partial
from typing import Any

from khub.components.converters.mail.attachment import Attachment
from khub.components.converters.mail.message import Message
from khub.components.converters.text_decoder import NotTextError, decode_text
from khub.components.errors import SourceDamagedError, SourceError

_SUBJECT, _SENDER, _SENDER_ADDRESS, _SENDER_SMTP = "0037", "0C1A", "0C1F", "5D01"
_TO, _CC, _TEXT, _HTML, _HEADERS = "0E04", "0E03", "1000", "1013", "007D"
_LONG_NAME, _SHORT_NAME, _SHOWN_NAME, _CONTENT_ID, _KIND = "3707", "3704", "3001", "3712", "370E"
_FILE, _MESSAGE = "37010102", "3701000D"
_SENT, _DELIVERED = 0x0039, 0x0E06
_TIME_TYPE = 0x0040
_EPOCH = datetime.datetime(1601, 1, 1, tzinfo=datetime.UTC)
_HEADER_DATE = re.compile(r"^Date:\s*(.+)$", re.MULTILINE | re.IGNORECASE)


def read_msg(data: bytes, name: str) -> Message:
    """Read a `.msg` file.

    :param data: the file.
    :param name: its name, for messages.
    :returns: the message.
    :raises SourceError: when it is damaged, or the package that reads such files is missing.
    """
    try:
        import olefile
    except ImportError as error:
        raise SourceError(
            f"{name!r} is an Outlook message, and the package olefile is not installed",
            "run pip install olefile, or save the message as .eml",
            code="library_missing",
        ) from error
    try:
        return _read(olefile.OleFileIO(io.BytesIO(data)))
    except (OSError, ValueError, IndexError, struct.error) as error:
        remedy = "save it from Outlook again, or as .eml"
        raise SourceDamagedError(f"{name!r} is damaged or no Outlook message", remedy) from error


def _read(ole: Any, place: str = "") -> Message:
    """Read a message; the ones attached to it lie in folders of the same form, at `place`."""
    address = _string(ole, place, _SENDER_SMTP) or _string(ole, place, _SENDER_ADDRESS)
    sender = _string(ole, place, _SENDER)
    message = Message(
        subject=_string(ole, place, _SUBJECT),
        sender=f"{sender} <{address}>" if sender and "@" in address and address != sender else sender or address,
        to=_string(ole, place, _TO),
        cc=_string(ole, place, _CC),
        date=_date(ole, place),
        text=_string(ole, place, _TEXT),
        html=_decoded(_stream(ole, f"{place}__substg1.0_{_HTML}0102")) or _string(ole, place, _HTML),
    )
    if not (message.subject or message.sender or message.text or message.html):
        raise ValueError("no message")
    inside = place.rstrip("/").split("/") if place else []
    attached = {entry[len(inside)] for entry in ole.listdir() if entry[: len(inside)] == inside}
    for folder in sorted(name for name in attached if name.startswith("__attach_version1.0_")):
        where = f"{place}{folder}/"
        content_id = _string(ole, where, _CONTENT_ID)
        if content_id and f"cid:{content_id}" in message.html:
            message.embedded[content_id] = _stream(ole, f"{where}__substg1.0_{_FILE}")
        else:
            message.attachments.append(_attachment(ole, where))
    return message


def _attachment(ole: Any, where: str) -> Attachment:
    names = (_string(ole, where, key) for key in (_LONG_NAME, _SHORT_NAME, _SHOWN_NAME))
    name = next((name for name in names if name), "")
    message = f"{where}__substg1.0_{_MESSAGE}"
    if ole.exists(message):
        return Attachment(
            f"{name.replace('/', ' ') or 'message'}.eml", "message/rfc822", partial(_as_eml, ole, f"{message}/")
        )
    return Attachment(name, _string(ole, where, _KIND), partial(_stream, ole, f"{where}__substg1.0_{_FILE}"))


def _as_eml(ole: Any, place: str) -> bytes:
    """Write a message that is attached to another one in the Internet's format: alone it would be no Outlook file."""
    message = _read(ole, place)
    mail = EmailMessage()
    heads = {"Subject": message.subject, "From": message.sender, "To": message.to, "Cc": message.cc}
    for name, value in {**heads, "Date": _as_header(message.date)}.items():
        if value:
            mail[name] = " ".join(value.split())
    mail.set_content(message.text)
    if message.html:
        mail.add_alternative(message.html, subtype="html")
    for content_id, data in message.embedded.items():
        mail.add_attachment(data, "image", "octet-stream", disposition="inline", cid=f"<{content_id}>")
    for attachment in message.attachments:
        mail.add_attachment(attachment.read(), "application", "octet-stream", filename=attachment.given)
    for number, part in enumerate(part for part in mail.walk() if part.get_content_maintype() == "multipart"):
        digest = hashlib.sha256(f"{message.text}{message.html}".encode("utf-8", "surrogatepass"))
        part.set_boundary(f"part-{number}-{digest.hexdigest()}")  # the same each time, so that it stays the same file
    return mail.as_bytes()


def _as_header(date: str) -> str:
    try:
        return format_datetime(datetime.datetime.fromisoformat(date))
    except ValueError:
        return date


def _stream(ole: Any, path: str) -> bytes:
    return bytes(ole.openstream(path).read()) if ole.exists(path) else b""


def _string(ole: Any, folder: str, key: str) -> str:
    wide = _stream(ole, f"{folder}__substg1.0_{key}001F")
    text = wide.decode("utf-16-le", "replace") if wide else _decoded(_stream(ole, f"{folder}__substg1.0_{key}001E"))
    return text.strip("\x00 \r\n")


def _decoded(data: bytes) -> str:
    try:
        return decode_text(data.rstrip(b"\x00")) if data else ""
    except NotTextError:
        return ""


def _date(ole: Any, place: str) -> str:
    """Return when it was sent or delivered: properties of a fixed size stand in entries of 16 bytes."""
    properties = _stream(ole, f"{place}__properties_version1.0")
    times = {}
    for offset in range(24 if place else 32, len(properties) - 15, 16):
        kind, tag, _, value = struct.unpack_from("<HHIQ", properties, offset)
        if kind == _TIME_TYPE and value:
            times[tag] = value
    stamp = times.get(_SENT) or times.get(_DELIVERED)
    if stamp:
        return (_EPOCH + datetime.timedelta(microseconds=stamp // 10)).isoformat(" ", "seconds")
    header = _HEADER_DATE.search(_string(ole, place, _HEADERS))
    return header[1].strip() if header else ""
