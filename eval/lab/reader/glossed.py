"""Say a question word by word in the other language, with the hub's own table of words."""

import re
from collections.abc import Callable
from pathlib import Path

from khub.components.query.word_glosses import BETWEEN, read_word_glosses

WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+(?:[.,]\d+)*|\S")
MOST_UNKNOWN = 0.4
"""Share of an English question's words that may stay as they are; names do."""
FUNCTION_WORDS = {
    "a": "", "an": "", "the": "", "of": "的", "to": "", "do": "", "does": "", "did": "", "is": "是", "are": "是",
    "was": "是", "were": "是", "be": "", "been": "", "what": "什么", "which": "哪个", "who": "谁", "whom": "谁",
    "whose": "谁的", "when": "什么时候", "where": "哪里", "why": "为什么", "how": "如何", "many": "多少",
    "much": "多少",
    "in": "在", "on": "在", "at": "在", "for": "为", "and": "和", "or": "或", "by": "由", "with": "与", "from": "从",
    "that": "", "this": "这", "his": "他的", "her": "她的", "their": "他们的", "it": "它", "he": "他", "she": "她",
    "they": "他们", "can": "能", "you": "你", "your": "你的", "i": "我", "my": "我的", "not": "不", "as": "作为",
    "have": "有", "has": "有", "had": "有", "about": "关于",
}  # fmt: skip


def in_english(table: Path) -> Callable[[str], str]:
    """Return what says a Chinese question in English words; an empty text where none of them is known."""
    words = read_word_glosses(table)

    def said(question: str) -> str:
        found = words.words(question)
        if not any(word.glosses for word in found):
            return ""
        return " ".join(word.glosses[0] if word.glosses else word.text.strip() for word in found).strip()

    return said


def in_chinese(table: Path) -> Callable[[str], str]:
    """Return what says an English question in Chinese words; an empty text where too few of them are known."""
    turned = _turned(table)

    def said(question: str) -> str:
        parts, unknown = [], 0
        found = WORD.findall(question.lower())
        for word in found:
            known = FUNCTION_WORDS.get(word, turned.get(word) or turned.get(word.rstrip("s")))
            unknown += known is None and word.isalpha()
            parts.append(word if known is None else known)
        if unknown > MOST_UNKNOWN * len(found):
            return ""
        return "".join(f" {p} " if p.isascii() and p.isalnum() else p for p in parts if p).strip()

    return said


def _turned(table: Path) -> dict[str, str]:
    """Return the most frequent Chinese word of each first gloss."""
    found: dict[str, tuple[int, str]] = {}
    for line in table.read_text(encoding="utf-8").splitlines():
        chinese, glosses, count = line.split("\t")
        if glosses:
            english = glosses.partition(BETWEEN)[0].lower()
            found[english] = max(found.get(english, (-1, "")), (int(count), chinese))
    return {english: chinese for english, (_, chinese) in found.items()}
