"""Raised characters (exponents, marks of notes) in plain text."""

import re

_SMALL = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_NUMBER = re.compile(r"[-+−]|[-+−,*†‡§]*\d[-+−,*†‡§\d]*")
_WRITTEN_OUT = re.compile(r"(?=\W*+\w)[-+−*/.,:;()\w ]++")
_IN_BRACKETS = re.compile(r"\(\w\)")
_ENDING = re.compile(r"[aeoh]|[^\W\d_]{2,}", re.IGNORECASE)


def write_raised(raised: str, before: str) -> str:
    """Write raised characters so that they do not run into what stands before them.

    Behind a digit it is `10^6`, since a search takes 10⁶ for 106; elsewhere `m²` and `units¹`, which it takes for m2
    and for the word with a mark. The ending of a number or word (1st, 2e, ᵀᴹ) stays as it is.

    :param raised: what is raised, as a whole.
    :param before: the text up to it.
    :returns: what to put behind `before`.
    """
    text = raised.strip()
    behind_digit = before[-1:].isdigit()
    if _NUMBER.fullmatch(text) and not behind_digit:
        return raised.replace(text, text.translate(_SMALL))
    is_ending = _ENDING.fullmatch(text) and (behind_digit or len(text) > 1)
    if is_ending or not before[-1:].strip() or not _WRITTEN_OUT.fullmatch(text) or _IN_BRACKETS.fullmatch(text):
        return raised
    written = f"^{text}" if re.fullmatch(r"[-+−]?\w+", text) else f"^({text.strip('()')})"
    return raised.replace(text, written)
