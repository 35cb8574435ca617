"""Words as most search code takes them: lower-cased runs of letters and digits, Chinese cut by jieba."""

import re

from components.errors import MissingLibraryError
from components.text.tokenizer import HAN

_WORD = re.compile(rf"[{HAN}]+|[^\W{HAN}]+")
_HAN = re.compile(rf"[{HAN}]")


def words(text: str) -> list[str]:
    """Return the words of a text, with no stemming and with stop words.

    :raises MissingLibraryError: when the text is Chinese and jieba is not installed.
    """
    found: list[str] = []
    for run in _WORD.findall(text.lower()):
        found += _chinese_words(run) if _HAN.match(run) else [run]
    return found


def _chinese_words(run: str) -> list[str]:
    try:
        import jieba
    except ImportError as error:
        raise MissingLibraryError(
            "the baselines need the Python package jieba for Chinese documents", "pip install jieba"
        ) from error
    cut: list[str] = jieba.lcut_for_search(run)
    return cut
