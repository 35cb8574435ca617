"""How much of a model's attention a result takes."""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

BUDGET_TOKENS = 8000
NARROW_PER_TOKEN = 3.5
PIXELS_PER_TOKEN = 750
"""An image of w x h pixels costs a model about w x h / 750 tokens."""


def text_tokens(text: str) -> int:
    """Return about how many tokens a text is: one for each wide (Chinese) character, one for 3.5 others."""
    if text.isascii():
        return int(len(text) / NARROW_PER_TOKEN) + 1
    counts = Counter(text).items()
    wide = sum(count for character, count in counts if unicodedata.east_asian_width(character) in "WF")
    return wide + int((len(text) - wide) / NARROW_PER_TOKEN) + 1


def fits(text: str, tokens: int) -> bool:
    """Say whether a text takes no more tokens than that."""
    return len(text) < tokens or text_tokens(text) <= tokens


def image_tokens(width: int, height: int) -> int:
    """Return about how many tokens an image is."""
    return width * height // PIXELS_PER_TOKEN + 1


def within(tokens: int, items: Sequence[tuple[T, int]]) -> list[tuple[T, int]]:
    """Return items, each with the tokens that it takes, as long as all of them together take no more."""
    kept: list[tuple[T, int]] = []
    for item, size in items:
        if size <= tokens:
            kept.append((item, size))
            tokens -= size
    return kept


def cut_to_tokens(text: str, tokens: int) -> str:
    """Return as much of a text's beginning as takes no more tokens, up to the end of a line or word, and `…`."""
    if fits(text, tokens):
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if text_tokens(text[:middle]) < tokens else (low, middle - 1)
    part = text[:low]
    line, word = part.rfind("\n"), part.rfind(" ")
    end = line if line > low * 0.8 else word if word > low * 0.9 else low
    return part[:end].rstrip() + "…"
