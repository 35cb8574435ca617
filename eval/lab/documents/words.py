"""Which of one text's words stand in another."""

import re
import unicodedata
from collections import Counter

HAN = "\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
WORD = re.compile(rf"[{HAN}]|[^\W_{HAN}]+")
# A hyphen at the end of a line; PDFium writes U+0002 or U+FFFE for one that it takes for hyphenation.
BROKEN = re.compile(rf"([^\W_{HAN}]+)(?:[-\u2010\u00ad]\s*[\r\n]+\s*|[\u0002\ufffe][\r\n]*)(?=([^\W_{HAN}]+))")


def missing_words(reference: str, found: str) -> tuple[int, Counter[str]]:
    """Count the words of a text that another one lacks; order does not matter, repetition does.

    A word is a run of letters and digits, or one Han or kana character (such scripts have no blanks), in NFKC. Two
    halves of a word that a hyphen at the end of a line parts may also stand joined.

    :param reference: the text whose words are looked for.
    :param found: the text in which they should be.
    :returns: the number of words of the reference, and those that are missing.
    """
    wanted = Counter(words(BROKEN.sub(r"\1 ", reference)))
    there = Counter(words(found))
    missing, left = wanted - there, there - wanted
    for first, second in BROKEN.findall(unicodedata.normalize("NFKC", reference)):
        joined = first + second
        halves = Counter((first, second))
        if left[joined] and halves & missing:
            left[joined] -= 1
            missing -= halves
    return wanted.total(), missing


def words(text: str) -> list[str]:
    """Return the words of a text."""
    return WORD.findall(unicodedata.normalize("NFKC", text.replace("\u00ad", "")))
