"""Whether a page's text layer is text at all, or codes of a font that does not say what its shapes mean."""

import re

from khub.components.converters.pdf import pdfium_calls as calls
from khub.components.converters.pdf.text_reader import TextReader

_STRANGE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufff0-\uffff\U000f0000-\U0010ffff]")
_SPACE = re.compile(r"\s+")
_LETTER = re.compile(r"[^\W\d_]")
_LEADER = re.compile(r"([^\w\s])(?:\s*\1){2,}|_{3,}")
_WORD = re.compile(
    "[A-Za-z\u00c0-\u024f\u1e00-\u1eff]{3,}|[\u0370-\u1dff]{3,}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\ufb1d-\ufeff]{2,}"
)
_FEWEST = 20
_FEWEST_OF_SYMBOLS = 60
_LOOKED_AT = 1500
_MOST_STRANGE = 0.3
_MOST_UNKNOWN = 0.5
_FEWEST_LETTERS = 0.25
_FEWEST_IN_WORDS = 0.35
_MOST_SYMBOLS = 0.2
_SAMPLE = 200


def is_garbled(reader: TextReader) -> bool:
    """Whether most of a page's text is unreadable.

    Either many characters are private-use or control codes, or hardly any stand in words or numbers, or PDFium itself
    found no meaning for most of them, and what it made up instead are hardly letters.
    """
    shown = reader.text[:_LOOKED_AT].replace("\x02", "").replace("\ufffe", "")
    text = _SPACE.sub("", shown)
    if len(text) < _FEWEST:
        return False
    if len(_STRANGE.findall(text)) > _MOST_STRANGE * len(text) or _is_symbols(shown):
        return True
    return len(_LETTER.findall(text)) < _FEWEST_LETTERS * len(text) and _unknown(reader)


def _is_symbols(text: str) -> bool:
    """Whether hardly any character stands in a word or number, and that not because they are letters each for itself.

    On 1,469 pages of other people's files the share of words and numbers is 0.5 and more where the text can be read
    (leaders of dots left out), and 0.26 at most where it cannot.
    """
    text = _LEADER.sub(" ", text)
    length = len(_SPACE.sub("", text))
    readable = sum(map(len, _WORD.findall(text))) + sum(map(str.isdigit, text))
    single = sum(letter.isascii() and letter.isalpha() for letter in _WORD.sub("", text))
    symbols = length - readable - single
    return length >= _FEWEST_OF_SYMBOLS and readable < _FEWEST_IN_WORDS * length and symbols > _MOST_SYMBOLS * length


def _unknown(reader: TextReader) -> bool:
    step = max(1, reader.count // _SAMPLE)
    asked = range(0, reader.count, step)
    unknown = sum(calls.char_map_error(reader.handle, index) == 1 for index in asked)
    found: bool = unknown > _MOST_UNKNOWN * len(asked)
    return found
