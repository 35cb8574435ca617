"""In which language a question is to be answered."""

import re

from khub.components.text.language import HAN_RUNS, detect_language
from khub.components.text.stopwords import ENGLISH
from khub.components.text.tokenizer import HANGUL, KANA, tokenize

_OTHER = re.compile(f"[{KANA}{HANGUL}]")
_LATIN_WORD = re.compile(r"[A-Za-z][A-Za-z'’]*")
_COMMANDS = frozenset(
    {"Compare", "Define", "Describe", "Explain", "Find", "Give", "List", "Name", "Search", "Show", "Tell", "Translate"}
)
_BETWEEN_NAMES = {"vs", "and", "or"}


def question_language(query: str) -> str:
    """Name the language of a question, also of a Chinese one that is made mostly of Latin names.

    Who writes English uses words like `what` or `list`, in small letters or at the beginning: without any, a question
    with Chinese characters is Chinese, however many names it holds (`Ember 300 Operator Manual E-4012 处理`).

    :param query: the question.
    :returns: as `detect_language` does.
    """
    detected = detect_language(query)
    if detected != "en" or not HAN_RUNS.search(query) or _OTHER.search(query):
        return detected
    return "zh" if all(map(_may_be_name, _LATIN_WORD.findall(query))) else "en"


def _may_be_name(word: str) -> bool:
    if word in _BETWEEN_NAMES or word.isupper():
        return True
    return any(map(str.isupper, word)) and ENGLISH.isdisjoint(tokenize(word)) and word not in _COMMANDS
