"""Encode question and passage for the reader, the passage cut to the window that holds most of the question."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from tokenizers import Tokenizer
from torch import Tensor

from khub.eval.lab.reader.material import Read

QUESTION, WINDOW = 40, 192
"""Tokens of the question at most; of question and passage together."""
PAD = 1


class Batch(NamedTuple):
    """Pairs as the model takes them; `first` and `last` are the evidence's tokens, -100 where there is none."""

    ids: Tensor
    sides: Tensor
    mask: Tensor
    answers: Tensor
    first: Tensor
    last: Tensor


class Pair(NamedTuple):
    """One encoded pair: token ids, how many are the question's, and the evidence's first and last token, or None."""

    ids: list[int]
    question: int
    span: tuple[int, int] | None


def encode(tokenizer: Tokenizer, question: str, read: Read, window: int = WINDOW) -> Pair:
    """Encode a pair, `<s> question </s> passage </s>`."""
    asked = tokenizer.encode(question).ids[:QUESTION]
    passage = tokenizer.encode(read.passage)
    ids, offsets = passage.ids[1:], passage.offsets[1:]
    room, span = window - len(asked), _span(read, offsets)
    start = window_start(asked, ids, room) if len(ids) > room else 0
    if span and not start <= span[0] < start + room:
        start = max(0, min(span[0] - room // 3, len(ids) - room))
    part = ids[start : start + room]
    if span:
        span = (span[0] - start + len(asked), min(span[1] - start, len(part) - 1) + len(asked))
    return Pair(asked + part, len(asked), span)


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


def _span(read: Read, offsets: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    start = read.passage.find(read.evidence) if read.answers and read.evidence else -1
    if start < 0:
        return None
    end = start + len(read.evidence)
    tokens = [place for place, (left, right) in enumerate(offsets) if right > start and left < end]
    return (tokens[0], tokens[-1]) if tokens else None


def batch(pairs: Sequence[Pair], answers: Sequence[bool]) -> Batch:
    """Pad pairs to the longest of them."""
    longest = max(len(pair.ids) for pair in pairs)
    ids = torch.full((len(pairs), longest), PAD)
    sides, mask = torch.zeros_like(ids), torch.zeros_like(ids)
    first = torch.full((len(pairs),), -100)
    last = first.clone()
    for row, pair in enumerate(pairs):
        ids[row, : len(pair.ids)] = torch.tensor(pair.ids)
        mask[row, : len(pair.ids)] = 1
        sides[row, pair.question : len(pair.ids)] = 1
        if pair.span:
            first[row], last[row] = pair.span
    return Batch(ids, sides, mask, torch.tensor(answers, dtype=torch.float32), first, last)
