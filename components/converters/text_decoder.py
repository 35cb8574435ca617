"""From the bytes of a text file to text, strict about binaries."""

import codecs
import re

from charset_normalizer import from_bytes

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARATION = re.compile(rb"(?:charset|encoding|coding)\s*[=:]\s*[\"']?([A-Za-z][\w.:-]{2,30})", re.IGNORECASE)
_DECLARATION_BYTES = 2048
_SUPERSETS = {"gb2312": "gb18030", "gbk": "gb18030", "iso8859-1": "cp1252", "ascii": "utf-8"}
_SAMPLE_BYTES = 65536
_CONTROLS = re.compile(r"[\x00-\x07\x0e-\x1a\x1c-\x1f]")
_MAX_CONTROL_SHARE = 0.01
_MAX_BROKEN_SHARE = 0.01


class NotTextError(ValueError):
    """Bytes that are no text in any encoding."""


def decode_text(data: bytes, guess: bool = True) -> str:
    """Decode text: by byte order mark, else as UTF-8, else as it declares, else by statistics (charset-normalizer).

    A UTF-8 text in which a few bytes are broken stays UTF-8; each of them becomes U+FFFD.

    :param data: the whole file.
    :param guess: whether an encoding that the file does not show may be guessed.
    :returns: the text, without byte order mark, every line ended by a line feed.
    :raises NotTextError: for a PDF, which may be all ASCII, NUL bytes, many control characters, or an encoding that
        stays unknown.
    """
    if data.startswith(b"%PDF-"):
        raise NotTextError("a PDF")
    text = _decode(data, guess)
    if "\x00" in text or len(_CONTROLS.findall(text)) > _MAX_CONTROL_SHARE * len(text):
        raise NotTextError("NUL bytes or control characters")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decode(data: bytes, guess: bool) -> str:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data.decode(encoding, errors="replace")
    if b"\x00" in data:
        raise NotTextError("NUL bytes")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        if not guess:
            raise NotTextError("not UTF-8") from error
        return _decode_legacy(data, error.start)


def _decode_legacy(data: bytes, first_broken: int) -> str:
    text = data.decode("utf-8", errors="replace")
    beyond_ascii = sum(map(len, re.findall(r"[^\x00-\x7f]+", text)))
    if text.count("\ufffd") <= _MAX_BROKEN_SHARE * beyond_ascii:
        return text
    encoding = _declared_encoding(data) or _guessed_encoding(data, first_broken)
    return data.decode(encoding, errors="replace")


def _declared_encoding(data: bytes) -> str | None:
    declared = _DECLARATION.search(data[:_DECLARATION_BYTES])
    if not declared:
        return None
    try:
        name = codecs.lookup(declared[1].decode("ascii")).name
        name = _SUPERSETS.get(name, name)
        data.decode(name)
    except (LookupError, UnicodeError):
        return None
    return name


def _looks_western(sample: bytes) -> bool:
    # Statistics go wrong on a short text with a few accents; but accented letters stand alone between ASCII letters,
    # which bytes of Cyrillic, Greek, Arabic or East Asian text do not.
    runs = re.findall(rb"[\x80-\xff]+", sample)
    alone = re.findall(rb"(?<![\x80-\xff])[\xc0-\xff](?=[a-z\s.,:;!?'\")]|$)", sample)
    return sum(map(len, runs)) < 0.25 * len(sample) and len(alone) >= 0.7 * len(runs)


def _guessed_encoding(data: bytes, first_broken: int) -> str:
    # ASCII before the first odd byte says nothing, so the sample begins at the line of that byte.
    start = data.rfind(b"\n", 0, first_broken) + 1
    start = max(start, first_broken - _SAMPLE_BYTES // 2)
    sample = data[start : start + _SAMPLE_BYTES]
    end = sample.rfind(b"\n")
    if _looks_western(sample):
        return "cp1252"
    best = from_bytes(sample[:end] if end > 0 else sample).best()
    if best is None:
        raise NotTextError("no known encoding")
    return _SUPERSETS.get(codecs.lookup(best.encoding).name, best.encoding)
