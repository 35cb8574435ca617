"""Messages as Outlook saves them (MS-OXMSG, in an OLE file)."""

import datetime
import io
import re
import struct
from typing import Any

from components.converters.mail.message import Message
from components.converters.text_decoder import NotTextError, decode_text
from components.errors import SourceError

_SUBJECT, _SENDER, _SENDER_ADDRESS, _SENDER_SMTP = "0037", "0C1A", "0C1F", "5D01"
_TO, _CC, _TEXT, _HTML, _HEADERS = "0E04", "0E03", "1000", "1013", "007D"
_LONG_NAME, _SHORT_NAME, _SHOWN_NAME, _CONTENT_ID, _FILE = "3707", "3704", "3001", "3712", "37010102"
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
        ) from error
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as ole:
            return _read(ole)
    except (OSError, ValueError, IndexError, struct.error) as error:
        remedy = "save it from Outlook again, or as .eml"
        raise SourceError(f"{name!r} is damaged or no Outlook message", remedy) from error


def _read(ole: Any) -> Message:
    address = _string(ole, "", _SENDER_SMTP) or _string(ole, "", _SENDER_ADDRESS)
    sender = _string(ole, "", _SENDER)
    message = Message(
        subject=_string(ole, "", _SUBJECT),
        sender=f"{sender} <{address}>" if sender and "@" in address and address != sender else sender or address,
        to=_string(ole, "", _TO),
        cc=_string(ole, "", _CC),
        date=_date(ole),
        text=_string(ole, "", _TEXT),
        html=_decoded(_stream(ole, f"__substg1.0_{_HTML}0102")) or _string(ole, "", _HTML),
    )
    if not (message.subject or message.sender or message.text or message.html):
        raise ValueError("no message")
    for folder in sorted({entry[0] for entry in ole.listdir() if entry[0].startswith("__attach_version1.0_")}):
        names = (_string(ole, f"{folder}/", key) for key in (_LONG_NAME, _SHORT_NAME, _SHOWN_NAME))
        content_id = _string(ole, f"{folder}/", _CONTENT_ID)
        if content_id and f"cid:{content_id}" in message.html:
            message.embedded[content_id] = _stream(ole, f"{folder}/__substg1.0_{_FILE}")
        else:
            message.attachments.append(next((name for name in names if name), "attachment"))
    return message


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


def _date(ole: Any) -> str:
    """Return when it was sent or delivered: properties of a fixed size stand in entries of 16 bytes."""
    properties = _stream(ole, "__properties_version1.0")
    times = {}
    for offset in range(32, len(properties) - 15, 16):
        kind, tag, _, value = struct.unpack_from("<HHIQ", properties, offset)
        if kind == _TIME_TYPE and value:
            times[tag] = value
    stamp = times.get(_SENT) or times.get(_DELIVERED)
    if stamp:
        return (_EPOCH + datetime.timedelta(microseconds=stamp // 10)).isoformat(" ", "seconds")
    header = _HEADER_DATE.search(_string(ole, "", _HEADERS))
    return header[1].strip() if header else ""
