"""Encode question and passage for the reader's training."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from tokenizers import Tokenizer
from torch import Tensor

from khub.eval.lab.reader.material import Read
from khub.eval.lab.reader.read_window import WINDOW, Window, read_window

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
    """Encode a pair as the hub does; the evidence is in the window."""
    start = read.passage.find(read.evidence) if read.answers and read.evidence else -1
    seen = read_window(tokenizer, question, read.passage, window, read.head, inside=start if start >= 0 else None)
    return Pair(seen.ids, seen.question, _span(start, start + len(read.evidence), seen) if start >= 0 else None)


def _span(start: int, end: int, seen: Window) -> tuple[int, int] | None:
    held = [place for place, (left, right) in enumerate(seen.offsets, seen.question) if start < right > left < end]
    return (held[0], held[-1]) if held else None


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
