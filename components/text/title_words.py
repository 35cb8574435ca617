"""How much a title says."""

import re

WEAK = 2
"""Words of a title that may name any document of its kind: User Manual, FORM 10-K, 用户手册."""
_HAN = re.compile(r"[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]")
_WORD = re.compile(r"(?<!\S)\S*?[^\W\d_]\S*+")


def title_weight(title: str | None) -> float:
    """Count the words of a title that hold letters; two characters of Chinese, Japanese or Korean are a word."""
    text = title or ""
    return len(_HAN.findall(text)) / 2 + len(_WORD.findall(_HAN.sub(" ", text)))
