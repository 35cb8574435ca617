"""From the bytes of a text file to text, strict about binaries."""

import codecs
import re
from dataclasses import dataclass

from charset_normalizer import from_bytes

from khub.components.converters.charset_labels import codec_of
from khub.components.converters.east_asian_encoding import east_asian_encoding, is_common_chinese
from khub.components.converters.unmarked_utf16 import unmarked_utf16
from khub.components.text.terminal_codes import without_terminal_codes

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARATION = re.compile(rb"(?:charset|encoding|coding)\s*[=:]\s*[\"']?([A-Za-z][\w.:-]{2,30})", re.IGNORECASE)
_DECLARATION_BYTES = 2048
_JUDGED = ["utf_16_le", "utf_16_be", "utf_32", "utf_7", "gb2312", "gbk", "gb18030", "hz", "big5", "big5hkscs", "cp950"]
_JUDGED += ["cp932", "shift_jis", "shift_jis_2004", "shift_jisx0213", "euc_jp", "euc_jis_2004", "euc_jisx0213"]
_JUDGED += ["cp949", "euc_kr", "johab"]
"""What statistics are not asked for, since it has been judged better by then."""
_SAMPLE_BYTES = 65536
_CONTROLS = re.compile(r"[\x00-\x07\x0e-\x1a\x1c-\x1f]")
_MAX_CONTROL_SHARE = 0.01
_UTF8_SHARE = 0.9
_MORE_UTF8_THAN_NOT = 0.5
_FEW_WORDS = 20
_ENOUGH_BYTES = 12
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_HIGH_BYTES = re.compile(rb"[\x80-\xff]+")
_JAPANESE_ESCAPE, _JAPANESE_MAIL = re.compile(rb"\x1b\$[@B]"), "iso2022_jp_ext"
_ACCENTS = 0.3
_ALONE = re.compile(
    rb"(?<![\x80-\xff])(?:[\xc0-\xff](?=[a-z])|"
    rb"[\x80\x85\x91-\x97\xa3\xa7\xab\xb0\xb2\xb5\xbb\xbd\xc0-\xff](?=[\t-?]|\Z)|"
    rb"(?<=[\d\s])[\xb0\xb5](?=[A-Za-z]))"
)
_THREE_BYTES = re.compile(rb"[\xe0-\xef][\x80-\xbf]{2}")
_CUT = re.compile(rb"(?:[\xc2-\xf4]|[\xe0-\xf4][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{2})\Z")


class NotTextError(ValueError):
    """Bytes that are no text in any encoding."""


@dataclass(frozen=True)
class DecodedText:
    """The text of a file.

    :param text: without byte order mark and codes for a terminal, every line ended by a line feed.
    :param guessed: the encoding, where nothing in the file says which it is; None where something does.
    :param broken: how many bytes or characters are no text in its encoding; each is a U+FFFD.
    """

    text: str
    guessed: str | None = None
    broken: int = 0


def decode_text(data: bytes, guess: bool = True) -> str:
    """Return the text of `decoded` alone."""
    return decoded(data, guess).text


def decoded(data: bytes, guess: bool = True) -> DecodedText:
    """Decode text: by byte order mark, else as UTF-8, else as it declares, else by what its characters would be.

    A UTF-8 text in which a few bytes are broken, or whose last character is cut, stays UTF-8.

    :param data: the whole file.
    :param guess: whether an encoding that the file does not show may be guessed.
    :raises NotTextError: for a PDF, which may be all ASCII, NUL bytes, many control characters, or an encoding that
        stays unknown.
    """
    if data.startswith(b"%PDF-"):
        raise NotTextError("a PDF")
    encoding, guessed = _encoding_of(data, guess)
    text = without_terminal_codes(data.decode(encoding, errors="replace"))
    if "\x00" in text or len(_CONTROLS.findall(text)) > _MAX_CONTROL_SHARE * len(text):
        raise NotTextError("NUL bytes or control characters")
    broken = 0 if _is_in(data, encoding) else text.count("\ufffd")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return DecodedText(text, encoding if guessed else None, broken)


def _encoding_of(data: bytes, guess: bool) -> tuple[str, bool]:
    """Return the encoding, and whether it is a guess."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return encoding, False
    if b"\x00" in data:
        if guess and (utf16 := unmarked_utf16(data[:_SAMPLE_BYTES])):
            return utf16, True
        raise NotTextError("NUL bytes")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        if not guess:
            raise NotTextError("not UTF-8") from error
        return _legacy_encoding(data)
    if _JAPANESE_ESCAPE.search(data) and _is_in(data, _JAPANESE_MAIL):
        return _JAPANESE_MAIL, False
    return ("gb18030", True) if guess and _only_looks_like_utf8(text, data) else ("utf-8", False)


def _only_looks_like_utf8(text: str, data: bytes) -> bool:
    """Say whether a text is a few words of Chinese in GBK, whose bytes happen to be well-formed UTF-8, such as 系统."""
    if text.isascii() or len(_BEYOND_ASCII.findall(text)) > _FEW_WORDS:
        return False
    try:
        return is_common_chinese(data.decode("gb18030"))
    except UnicodeDecodeError:
        return False


def _legacy_encoding(data: bytes) -> tuple[str, bool]:
    share = _share_of_utf8(data)
    if share > _UTF8_SHARE:
        return "utf-8", False
    if declared := _declared_encoding(data):
        return declared, False
    return _guessed_encoding(_sample(data), share), True


def _sample(data: bytes) -> bytes:
    """Return the part that tells most: ASCII before the first other byte says nothing, but for its line."""
    first = next(_HIGH_BYTES.finditer(data)).start()
    start = max(data.rfind(b"\n", 0, first) + 1, first - _SAMPLE_BYTES // 2)
    sample = data[start : start + _SAMPLE_BYTES]
    end = sample.rfind(b"\n") if start + _SAMPLE_BYTES < len(data) else -1
    return sample[:end] if end > 0 else sample


def _share_of_utf8(data: bytes) -> float:
    """Return how much of the bytes beyond ASCII is well-formed UTF-8; a last character that is cut does not count."""
    whole = _CUT.sub(b"", data)
    beyond_ascii = sum(map(len, _HIGH_BYTES.findall(whole)))
    if not beyond_ascii:
        return 0.0
    kept = whole.decode("utf-8", errors="ignore").encode()
    return sum(map(len, _HIGH_BYTES.findall(kept))) / beyond_ascii


def _declared_encoding(data: bytes) -> str | None:
    declared = _DECLARATION.search(data[:_DECLARATION_BYTES])
    if not declared:
        return None
    codec = codec_of(declared[1].decode("ascii"))
    return codec if codec and _is_in(data, codec) else None


def _is_in(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeError:
        return False
    return True


def _looks_western(sample: bytes) -> bool:
    # Statistics go wrong on a short text with a few accents; but accented letters stand alone between ASCII letters,
    # and signs (°, €) before a blank, which bytes of Cyrillic, Greek, Arabic or East Asian text do not.
    runs = _HIGH_BYTES.findall(sample)
    return sum(map(len, runs)) <= _ACCENTS * len(sample) and len(_ALONE.findall(sample)) >= 0.7 * len(runs)


def _guessed_encoding(sample: bytes, share_of_utf8: float) -> str:
    if _looks_western(sample):
        return "cp1252"
    if encoding := east_asian_encoding(sample):
        return encoding
    if share_of_utf8 > _MORE_UTF8_THAN_NOT and _THREE_BYTES.search(sample):
        return "utf-8"
    if len(sample) >= _ENOUGH_BYTES and (utf16 := unmarked_utf16(sample)):
        return utf16
    best = from_bytes(sample, cp_exclusion=_JUDGED).best()
    if best is None:
        raise NotTextError("no known encoding")
    return codec_of(best.encoding) or best.encoding
