"""Which script a character belongs to, as far as setting lines together asks."""

import re

_CJK = re.compile(
    "[\u2e80-\u303f\u3040-\u30ff\u3100-\u312f\u31a0-\u31bf\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_LETTER = re.compile(r"[^\W\d_]")


def is_cjk(character: str) -> bool:
    """Whether a character is written without spaces around it: Han, Kana, full-width signs."""
    return _CJK.match(character) is not None


def cjk_share(text: str) -> float:
    """Share of CJK characters among all."""
    return 0.0 if text.isascii() else len(_CJK.findall(text)) / len(text)


def is_rtl(text: str) -> bool:
    """Whether most letters of a text are of a script that runs from right to left."""
    if text.isascii():
        return False
    letters = len(_LETTER.findall(text))
    return letters > 0 and 2 * len(_RTL.findall(text)) > letters


def join(before: str, after: str) -> str:
    """Join two stretches of a text that a line end parts: with a space, except between CJK characters."""
    if not before or not after:
        return before + after
    return f"{before}{after}" if is_cjk(before[-1]) and is_cjk(after[0]) else f"{before} {after}"
