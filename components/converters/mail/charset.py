"""Text of a mail from its bytes, by the charset that it names."""

from khub.components.converters.charset_labels import codec_of
from khub.components.converters.text_decoder import NotTextError, decode_text

_MOST_BROKEN = 0.1
_WESTERN = "cp1252"


def text_by_label(data: bytes, label: str) -> str:
    """Decode bytes as the label means it; where it says nothing, or they are not in it, as a file without one.

    :param data: of a part or a header.
    :param label: such as "gb2312"; may be "".
    :returns: the text; characters that are broken are U+FFFD.
    """
    codec = codec_of(label)
    if codec is None or (codec == _WESTERN and _is_utf8(data)):
        return _without_label(data, codec or "utf-8")
    try:
        return data.decode(codec)
    except UnicodeError:
        text = data.decode(codec, errors="replace")
    if text.count("\ufffd") <= _MOST_BROKEN * sum(not character.isascii() for character in text):
        return text
    return _without_label(data, codec)


def _is_utf8(data: bytes) -> bool:
    """Say whether bytes are UTF-8: nobody means by chance what that would be in a Western code page."""
    try:
        return not data.decode("utf-8").isascii()
    except UnicodeDecodeError:
        return False


def _without_label(data: bytes, codec: str) -> str:
    try:
        return decode_text(data)
    except NotTextError:
        return data.decode(codec, errors="replace")
