"""Choose what a reader sees of a question and a passage: a window that holds most of the question's words."""

from collections.abc import Sequence
from typing import NamedTuple

from tokenizers import Tokenizer

QUESTION_TOKENS, HEAD_TOKENS, WINDOW = 40, 32, 192
"""Tokens of the question at most; of the title and headings above the passage; of all together."""


class Window(NamedTuple):
    """A pair as a reader takes it, `<s> question </s> head </s> passage </s>`.

    :ivar ids: token ids.
    :ivar question: how many of them are the question's.
    :ivar offsets: of each of the other tokens its characters in the passage, from and to; (0, 0) of one of the head.
    """

    ids: list[int]
    question: int
    offsets: list[tuple[int, int]]


def read_window(
    tokenizer: Tokenizer,
    question: str,
    passage: str,
    window: int = WINDOW,
    head: str = "",
    sought: str = "",
    inside: int | None = None,
) -> Window:
    """Return the window of a question and a passage.

    :param window: tokens of all together.
    :param head: title and headings above the passage, which are read whatever part of it is.
    :param sought: what the window is to hold most of, in the passage's language; the question where it is empty.
    :param inside: a character of the passage that is to be in the window, whatever the question holds.
    """
    asked = tokenizer.encode(question).ids[:QUESTION_TOKENS]
    encoded = tokenizer.encode(passage)
    ids, offsets = encoded.ids[1:], encoded.offsets[1:]
    above = tokenizer.encode(head).ids[1:][-HEAD_TOKENS:] if head else []
    room = window - len(asked) - len(above)
    words = tokenizer.encode(sought).ids[:QUESTION_TOKENS] if sought else asked
    start = window_start(words, ids, room) if len(ids) > room else 0
    if inside is not None:
        token = next((place for place, (_, end) in enumerate(offsets) if end > inside), 0)
        if not start <= token < start + room:
            start = max(0, min(token - room // 3, len(ids) - room))
    seen = [(0, 0)] * len(above) + offsets[start : start + room]
    return Window([*asked, *above, *ids[start : start + room]], len(asked), seen)


def window_start(asked: Sequence[int], ids: Sequence[int], room: int) -> int:
    """Return where the window begins that holds most of the question's tokens, each counted once.

    Of the windows one after the other that hold the same, it is the middle one: what answers may stand on either side.
    Where none holds anything, it is the first.
    """
    known, counts, distinct = set(asked[1:-1]), dict[int, int](), 0
    best, first, last = -1, 0, 0
    for end, token in enumerate(ids):
        if token in known:
            counts[token] = counts.get(token, 0) + 1
            distinct += counts[token] == 1
        if end >= room and (left := ids[end - room]) in known:
            counts[left] -= 1
            distinct -= counts[left] == 0
        start = end - room + 1
        if start >= 0 and distinct > best:
            best, first, last = distinct, start, start
        elif start == last + 1 and distinct == best:
            last = start
    return (first + last) // 2 if best > 0 else 0
