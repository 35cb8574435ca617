"""Letters drawn twice, a little apart, so that they look bold: "Testiing" where the page shows "Testing"."""

import re

from khub.components.converters.pdf import pdfium_calls as calls
from khub.components.converters.pdf.text_reader import RawWord, TextReader

_TWICE = re.compile(r"(\S)\1")
_SAME_PLACE = 0.5
_SAME_LINE = 0.15


def without_doubles(words: list[RawWord], reader: TextReader) -> list[RawWord]:
    """Return words in which each letter stands once that the page has twice at one place.

    :param reader: while its page is open.
    """
    return [_once(word, reader) if _TWICE.search(word.text) else word for word in words]


def _once(word: RawWord, reader: TextReader) -> RawWord:
    if word.style.angle or len(word.text) != word.end - word.start:
        return word
    kept, last = word.text[0], word.start
    for index, letter in enumerate(word.text[1:], word.start + 1):
        if letter != kept[-1] or not _is_drawn_over(last, index, reader, word.style.size):
            kept, last = kept + letter, index
    return word if len(kept) == len(word.text) else word._replace(text=kept)


def _is_drawn_over(last: int, index: int, reader: TextReader, size: float) -> bool:
    """Whether a letter was drawn by itself where the one before stands; letters of a ligature are drawn as one."""
    one, other = reader.char_box(last), reader.char_box(index)
    if abs(other[0] - one[0]) > _SAME_PLACE * (one[2] - one[0]) or abs(other[1] - one[1]) > _SAME_LINE * size:
        return False
    found: bool = calls.char_object(reader.handle, last) != calls.char_object(reader.handle, index)
    return found
