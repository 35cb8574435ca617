"""The head of a mail, or of a part of it, as its reader sees it.

Encoded words (RFC 2047) may be in any charset, cut within a character, and stand where they should not; bytes beyond
ASCII may stand there as they are; names of files come in all forms of RFC 2231 and outside of it.
"""

import binascii
import re
from collections.abc import Iterator
from email.message import Message, MIMEPart
from itertools import groupby
from typing import Any

from khub.components.converters.mail.charset import text_by_label

_WORD = re.compile(r"=\?([^?*\s]+)(?:\*[^?\s]*)?\?([bBqQ])\?([^?]*)\?=")
_BETWEEN_WORDS = re.compile(r"(?<=\?=)\s+(?==\?[^?\s]+\?[bBqQ]\?)")
_NAMES = (("Content-Disposition", "filename"), ("Content-Type", "name"))


def header_text(part: MIMEPart, name: str) -> str:
    """Return a header in one line, decoded; "" if there is none."""
    raw = next((str(value) for key, value in part.raw_items() if key.lower() == name.lower()), "")
    return " ".join(decoded_words(raw, charset_of(part)).split())


def file_name(part: MIMEPart) -> str:
    """Return the name that an attached file has in the head of its part; "" if it has none."""
    for header, parameter in _NAMES:
        if (given := _parameter(part, header, parameter)).strip():
            return given
    return ""


def charset_of(part: MIMEPart) -> str:
    """Return the label of a part's charset; "" if it has none."""
    try:
        return part.get_content_charset() or ""
    except (LookupError, ValueError, TypeError, AttributeError):
        return ""


def decoded_words(raw: str, label: str = "") -> str:
    """Decode the encoded words in the value of a header, and the bytes that stand there as they are.

    :param raw: as Python's parser gives it: bytes beyond ASCII as surrogates.
    :param label: charset of the bytes, as far as it is known.
    """
    pieces = groupby(_pieces(_BETWEEN_WORDS.sub("", raw), label), key=lambda piece: piece[0])
    # words of one charset are put together first: a character may be cut between two
    return "".join(text_by_label(b"".join(data for _, data in same), charset) for charset, same in pieces)


def _pieces(raw: str, label: str) -> Iterator[tuple[str, bytes]]:
    end = 0
    for word in _WORD.finditer(raw):
        if word.start() > end:
            yield label, _as_bytes(raw[end : word.start()])
        data = _word_bytes(word)
        yield (word[1].lower(), data) if data is not None else (label, _as_bytes(word[0]))
        end = word.end()
    yield label, _as_bytes(raw[end:])


def _word_bytes(word: re.Match[str]) -> bytes | None:
    data = _as_bytes(word[3])
    if word[2] in "qQ":
        return binascii.a2b_qp(data, header=True)
    try:
        return binascii.a2b_base64(data.rstrip(b"=") + b"===") or None
    except binascii.Error:
        return None


def _as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _parameter(part: MIMEPart, header: str, name: str) -> str:
    raw = next((str(value) for key, value in part.raw_items() if key.lower() == header.lower()), "")
    holder = Message()
    holder[header] = " ".join(decoded_bytes(raw).split())
    given: list[tuple[str, Any]] = holder.get_params([], header)
    values = [value for key, value in given if key.lower() == name]
    extended = next((value for value in values if isinstance(value, tuple)), None)
    if extended is None:
        return decoded_words(values[0]) if values else ""
    charset, _, value = extended
    try:
        return text_by_label(value.encode("latin-1"), charset or "")
    except UnicodeEncodeError:  # beside the bytes that are written as %E4 there are others as they are
        found: str = value
        return found


def decoded_bytes(raw: str) -> str:
    """Return the value of a header with its bytes beyond ASCII decoded."""
    return raw if raw.isascii() else text_by_label(_as_bytes(raw), "")
