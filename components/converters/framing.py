"""Messages between the hub and its conversion worker: four bytes of length, big-endian, then JSON."""

import json
import struct
from typing import Any, BinaryIO

_LENGTH = struct.Struct(">I")


def write_message(stream: BinaryIO, message: dict[str, Any]) -> None:
    """Write one message and flush it.

    :param stream: binary stream, open for writing.
    :param message: what JSON can hold.
    """
    payload = json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")
    stream.write(_LENGTH.pack(len(payload)))
    stream.write(payload)
    stream.flush()


def read_message(stream: BinaryIO) -> dict[str, Any] | None:
    """Read one message, waiting for it.

    :param stream: binary stream, open for reading.
    :returns: the message; None when the other side has closed the stream, even in the middle of one.
    """
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    payload = stream.read(length)
    if len(payload) < length:
        return None
    message: dict[str, Any] = json.loads(payload.decode("utf-8", "surrogatepass"))
    return message
