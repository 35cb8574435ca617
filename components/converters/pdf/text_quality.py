"""Whether a page's text layer is text at all, or codes of a font that does not say what its shapes mean."""

import re

from components.converters.pdf import pdfium_calls as calls
from components.converters.pdf.text_reader import TextReader

_STRANGE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufff0-\uffff\U000f0000-\U0010ffff]")
_SPACE = re.compile(r"\s+")
_LETTER = re.compile(r"[^\W\d_]")
_FEWEST = 20
_LOOKED_AT = 1500
_MOST_STRANGE = 0.3
_MOST_UNKNOWN = 0.5
_FEWEST_LETTERS = 0.25
_SAMPLE = 200


def is_garbled(reader: TextReader) -> bool:
    """Whether most of a page's text is unreadable.

    Either many characters are private-use or control codes, or PDFium itself found no meaning for most of them, and
    what it made up instead are hardly letters.
    """
    text = _SPACE.sub("", reader.text[:_LOOKED_AT].replace("\x02", "").replace("\ufffe", ""))
    if len(text) < _FEWEST:
        return False
    if len(_STRANGE.findall(text)) > _MOST_STRANGE * len(text):
        return True
    if len(_LETTER.findall(text)) + sum(map(str.isdigit, text)) > _FEWEST_LETTERS * len(text) and not _unknown(reader):
        return False
    return _unknown(reader) and len(_LETTER.findall(text)) < _FEWEST_LETTERS * len(text)


def _unknown(reader: TextReader) -> bool:
    step = max(1, reader.count // _SAMPLE)
    asked = range(0, reader.count, step)
    unknown = sum(calls.char_map_error(reader.handle, index) == 1 for index in asked)
    return unknown > _MOST_UNKNOWN * len(asked)
