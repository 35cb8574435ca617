"""The one tokenizer of the sparse index: documents and queries pass through the same function."""

import re
import unicodedata
from collections.abc import Container
from functools import lru_cache
from operator import add

from khub.components.text.english_stem import stem

TOKENIZER_VERSION = "2"
"""Changes whenever `tokenize` gives other tokens for the same text: an index of another version must be rebuilt."""

MAX_TOKEN_LENGTH = 100
"""In characters; longer words are cut, so that an encoded blob does not fill the term dictionary."""

HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
KANA = "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff"

# NFKC is the costliest step on Chinese text: what it leaves alone, and the separators that it would only turn into
# other separators, skip it. The character before stays with the others, for it may compose with them.
_UNSTABLE_CHARACTER = re.compile(
    r"[^\x00-\x7f\xb7\xc0-\u0131\u2013-\u201d\u2026\u3000-\u3011\u3041-\u3096\u30a1-\u30fc\u3400-\u4dbf\u4e00-\u9fff"
    r"\uac00-\ud7a3，！？：；（）]"
)
_UNSTABLE = re.compile(f"(?s).?{_UNSTABLE_CHARACTER.pattern}+")

# `\w` leaves out combining marks, without which Indic, Thai, Hebrew and Arabic words fall apart.
_MARKS = "".join(chr(code) for code in range(0x300, 0x2000) if unicodedata.category(chr(code)).startswith("M"))
_LETTER = rf"[^\W_{HAN}{KANA}{HANGUL}]"
_JOINT = r"(?:[.\-']|_+|(?<=[0-9])[,:/](?=[0-9]))"
_SUFFIX = r"(?:(?<=[0-9])%|(?<=[A-Za-z])(?<![A-Za-z0-9_][A-Za-z])(?:\+\+|\#))"
# most words end with a blank: one look at it is cheaper than trying all joints and suffixes
_GOES_ON = r"(?=[.\-'_,:/%+#])"
_ASCII_RUNS = re.compile(rf"[A-Za-z0-9]+(?:{_GOES_ON}(?:{_JOINT}[A-Za-z0-9]+)*{_SUFFIX}?)?")
_WORD = rf"{_LETTER}+(?:[{_MARKS}]+{_LETTER}*)*"
_RUNS = re.compile(rf"[{HAN}]+|[{KANA}]+|[{HANGUL}]+|{_WORD}(?:{_GOES_ON}(?:{_JOINT}{_WORD})*{_SUFFIX}?)?")
_AROUND_WORDS = ".,;:!?'\"()[]"
_BIGRAM_RUN = re.compile(rf"[{HAN}{KANA}{HANGUL}]")
_BIGRAM = re.compile(f"[{HAN}]{{2}}|[{KANA}]{{2}}|[{HANGUL}]{{2}}")
_FIRST_BIGRAM_CHARACTER = "\u1100"

_PIECES = re.compile(r"[0-9]+(?:[.,:/\-][0-9]+)*|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[^\W\d_A-Za-z][^\W\d_]*|\w")
_WORD_PIECES = re.compile(rf"[0-9]+(?:[.,:/\-][0-9]+)*|(?:[^\W\d_]|[{_MARKS}])+|\d+")
_DATE = re.compile(r"([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})")
_HAN_DATE = re.compile(r"(?<![0-9])([0-9]{4}) ?年 ?([0-9]{1,2}) ?月(?: ?([0-9]{1,2}) ?日)?")
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_NUMBER_JOINTS = re.compile(r"[,:/\-]")


def tokenize(text: str) -> list[str]:
    """Cut text into the terms of the sparse index, the same way for documents and queries.

    The text is NFKC-normalized and lower-cased (identifiers are taken apart before that). Runs of Han, of kana and of
    Hangul become overlapping bigrams, a run of one character that character. Words are runs of other letters and
    digits; a compound stands whole and in parts: `getUserName` -> getusername, get, user, name; `os.path.join` ->
    os.path.join, os, path, join; `1.5GB` -> 1.5gb, 1.5, 1, gb; `v2.13.0` -> v2.13.0, 2.13.0, 2.13, 2; dates also
    in ISO form (`2024/1/5`, `2024年1月5日` -> 2024-01-05, 2024-01). English words are stemmed (`stations` -> station,
    `charging` -> charg), also as parts of a compound, which itself is not. No stop words are removed.

    :param text: any text, empty too; time is linear in its length.
    :returns: the tokens in reading order (the ISO form of dates in Han script last), repeats kept; no token is empty,
        has white space or is longer than `MAX_TOKEN_LENGTH` characters.
    """
    return _tokens(text, iso_dates=True)


def tokenize_phrase(text: str) -> list[str]:
    """Cut text into the terms that stand one behind the other wherever a document holds this text.

    That is what `tokenize` gives without the ISO form of dates in Han script, which it puts at the end of a text.

    :param text: words in quotation marks, say.
    :returns: the tokens in reading order.
    """
    return _tokens(text, iso_dates=False)


def _tokens(text: str, iso_dates: bool) -> list[str]:
    tokens: list[str] = []
    runs = _ASCII_RUNS.findall(text) if text.isascii() else _RUNS.findall(normalized(text).replace("’", "'"))
    for run in runs:
        if run[0] >= _FIRST_BIGRAM_CHARACTER and _BIGRAM_RUN.match(run):
            tokens += map(add, run, run[1:]) if len(run) > 1 else run
        elif len(run) <= MAX_TOKEN_LENGTH:
            tokens += _word_tokens(run)
        else:
            tokens += _compound_tokens(run)
    if iso_dates and "年" in text:
        for date in _HAN_DATE.finditer(text):
            tokens += _iso_dates(*date.groups())
    return tokens


def normalized(text: str) -> str:
    """Return a text with what NFKC changes in it (but for separators) as `tokenize` reads it."""
    return text if is_stable(text) else _UNSTABLE.sub(_nfkc, text)


def _nfkc(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", match[0])


def is_bigram(term: str) -> bool:
    """Return whether a token is one of those into which runs of Han, of kana and of Hangul are cut."""
    return _BIGRAM.fullmatch(term) is not None


def word_runs(text: str, initials: Container[str]) -> set[str] | None:
    """Return the different runs of a text that become words (see `word_terms`), and those of a single Han character.

    :param text: any text; `’` counts as `'`.
    :param initials: lower-case letters. A word of other small letters may be left out: no term of it begins as asked.
    :returns: None where `tokenize` sees more in it than these and bigrams: NFKC changes it, or it has a date in Han.
    """
    if not is_stable(text) or ("年" in text and _HAN_DATE.search(text)):
        return None
    parts = set(text.replace("’", "'").split())
    words: set[str] = set()
    # a stem begins as its word does: most words are done with by a look at their first letter
    for part in [p for p in parts if p[0] in initials or not (p.islower() and p.isalpha() and p.isascii())]:
        word = part.strip(_AROUND_WORDS)
        if word.isascii() and word.isalnum():  # most are: only the others are worth a regular expression
            words.add(word)
        else:
            words.update(run for run in _RUNS.findall(part) if len(run) == 1 or not _BIGRAM_RUN.match(run))
    return words


def word_terms(word: str) -> tuple[str, ...]:
    """Return the tokens of one word."""
    return _word_tokens(word) if len(word) <= MAX_TOKEN_LENGTH else _compound_tokens(word)


def is_stable(text: str) -> bool:
    """Return whether NFKC leaves a text as it is, but for separators."""
    return text.isascii() or not _UNSTABLE_CHARACTER.search(text)


@lru_cache(maxsize=1 << 16)
def _word_tokens(word: str) -> tuple[str, ...]:
    if word.isalpha() and (word.islower() or word.istitle() or word.isupper()):
        return (stem(word.lower()[:MAX_TOKEN_LENGTH]),)
    return _compound_tokens(word)


def _compound_tokens(compound: str) -> tuple[str, ...]:
    whole = compound.lower()
    tokens = [whole] if len(whole) <= MAX_TOKEN_LENGTH else []
    pieces = (_PIECES if compound.isascii() else _WORD_PIECES).findall(compound)
    for index, piece in enumerate(pieces):
        if piece[0].isdigit():
            tokens += _number_tokens(piece)
        elif len(piece) > 1 or (index > 0 and pieces[index - 1][-1].isdigit()):
            # A lone letter means something only as the unit of a number: 5m, but not the t of don't.
            tokens.append(stem(piece.lower()[:MAX_TOKEN_LENGTH]))
    if len(pieces) > 1 and "." in compound and all(len(piece) == 1 and piece.isalpha() for piece in pieces):
        tokens.append("".join(pieces).lower()[:MAX_TOKEN_LENGTH])
    return tuple(dict.fromkeys(tokens)) or (whole[:MAX_TOKEN_LENGTH],)


def _number_tokens(number: str) -> list[str]:
    tokens = [number] if len(number) <= MAX_TOKEN_LENGTH else []
    if date := _DATE.fullmatch(number):
        return [*tokens, *_iso_dates(*date.groups()), date[1]]
    if _THOUSANDS.fullmatch(number):
        number = number.replace(",", "")
    for part in _NUMBER_JOINTS.split(number):
        tokens.append(part[:MAX_TOKEN_LENGTH])
        tokens += _version_prefixes(part)
    return tokens


def _version_prefixes(number: str) -> list[str]:
    """`3.11.7` is also found by 3.11 and by 3."""
    parts = number.split(".", 3)[:3]
    prefixes = [".".join(parts[:length]) for length in (3, 2, 1) if length <= len(parts)]
    return [prefix for prefix in prefixes if prefix != number and len(prefix) <= MAX_TOKEN_LENGTH]


def _iso_dates(year: str, month: str, day: str | None) -> list[str]:
    year_month = f"{year}-{month:0>2}"
    return [f"{year_month}-{day:0>2}", year_month] if day else [year_month]
