"""Choose what a reader sees of a question and a passage: a window that holds most of the question's words."""

from collections.abc import Sequence
from typing import NamedTuple

from tokenizers import Tokenizer

QUESTION_TOKENS, WINDOW = 40, 192
"""Tokens of the question at most; of question and passage together."""


class Window(NamedTuple):
    """A pair as a reader takes it, `<s> question </s> passage </s>`.

    :ivar ids: token ids.
    :ivar question: how many of them are the question's.
    :ivar offsets: of each of the passage's tokens its characters, from and to.
    """

    ids: list[int]
    question: int
    offsets: list[tuple[int, int]]


def read_window(
    tokenizer: Tokenizer, question: str, passage: str, window: int = WINDOW, sought: str = "", inside: int | None = None
) -> Window:
    """Return the window of a question and a passage.

    :param window: tokens of both together.
    :param sought: what the window is to hold most of, in the passage's language; the question where it is empty.
    :param inside: a character of the passage that is to be in the window, whatever the question holds.
    """
    asked = tokenizer.encode(question).ids[:QUESTION_TOKENS]
    encoded = tokenizer.encode(passage)
    ids, offsets = encoded.ids[1:], encoded.offsets[1:]
    room = window - len(asked)
    words = tokenizer.encode(sought).ids[:QUESTION_TOKENS] if sought else asked
    start = window_start(words, ids, room) if len(ids) > room else 0
    if inside is not None:
        token = next((place for place, (_, end) in enumerate(offsets) if end > inside), 0)
        if not start <= token < start + room:
            start = max(0, min(token - room // 3, len(ids) - room))
    return Window(asked + ids[start : start + room], len(asked), offsets[start : start + room])


def window_start(asked: Sequence[int], ids: Sequence[int], room: int) -> int:
    """Return where the window begins that holds most of the question's tokens, each counted once; the earliest one."""
    known, counts, distinct, best, found = set(asked[1:-1]), dict[int, int](), 0, -1, 0
    for end, token in enumerate(ids):
        if token in known:
            counts[token] = counts.get(token, 0) + 1
            distinct += counts[token] == 1
        if end >= room and (left := ids[end - room]) in known:
            counts[left] -= 1
            distinct -= counts[left] == 0
        if end >= room - 1 and distinct > best:
            best, found = distinct, end - room + 1
    return found
