"""UTF-16 without a byte order mark, as some Windows programs and databases write it."""

from khub.components.converters.east_asian_encoding import is_everyday

_LEAST_SHARE = 0.9
_LEAST_BYTES = 8
_FIRST_OF_OTHER_SCRIPTS = 0x700
_BLANKS = "\t\n\r\f"


def unmarked_utf16(sample: bytes) -> str | None:
    """Name the byte order in which a sample is UTF-16; None where it is text in neither.

    :param sample: the beginning of a file.
    """
    if len(sample) < _LEAST_BYTES or len(sample) % 2:
        return None
    shares = {encoding: _plain_share(sample, encoding) for encoding in ("utf-16-le", "utf-16-be")}
    best = max(shares, key=shares.__getitem__)
    return best if shares[best] >= _LEAST_SHARE else None


def _plain_share(data: bytes, encoding: str) -> float:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return 0.0
    return sum(map(_is_plain, text)) / max(len(text), 1)


def _is_plain(character: str) -> bool:
    if ord(character) < _FIRST_OF_OTHER_SCRIPTS:
        return character.isprintable() or character in _BLANKS
    return is_everyday(character)
