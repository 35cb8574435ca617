"""Cut a long passage down to the part that answers."""

import re
from itertools import accumulate

from components.text.tokenizer import tokenize

SENTENCE_END = re.compile(r"(?<=[\u3002\uff01\uff1f\uff1b!?;\n])|(?<=\.)(?=\s)")
ELLIPSIS = "…"


def excerpt(text: str, terms: set[str], limit: int, keep: str = "") -> str:
    """Return the text whole where it is short enough, or else the run of its sentences with the most query terms.

    :param text: a passage.
    :param terms: tokens of the query.
    :param limit: length of the result in characters, marks of omission included.
    :param keep: a part of the text that comes before all terms, as far as there is room for it.
    :returns: the text, or a part of it with `…` where something was left out; the first of equally good parts.
    """
    if len(text) <= limit:
        return text
    room = limit - 2 * len(ELLIPSIS)
    if room <= 0:
        return ELLIPSIS[:limit]
    sentences = _sentences(text, longest=room)
    hits = [len(terms.intersection(tokenize(sentence))) for sentence in sentences]
    start = text.find(keep) if keep else -1
    if start >= 0:
        hits = _keeping(hits, sentences, start, start + len(keep))
    first, last = _best_run([len(sentence) for sentence in sentences], hits, room)
    part = "".join(sentences[first:last]).strip()
    return (ELLIPSIS if first > 0 else "") + part + (ELLIPSIS if last < len(sentences) else "")


def _keeping(hits: list[int], sentences: list[str], start: int, end: int) -> list[int]:
    """Let each sentence that reaches between the offsets weigh more than all others together."""
    ends = list(accumulate(map(len, sentences)))
    most = sum(hits) + 1
    return [
        hit + (most if reached > start and reached - len(sentence) < end else 0)
        for hit, sentence, reached in zip(hits, sentences, ends, strict=True)
    ]


def _sentences(text: str, longest: int) -> list[str]:
    """Split into sentences, and those that are too long into pieces of which two fit."""
    pieces: list[str] = []
    for sentence in SENTENCE_END.split(text):
        step = longest if len(sentence) <= longest else max(longest // 2, 1)
        pieces += [sentence[start : start + step] for start in range(0, len(sentence), step)]
    return pieces


def _best_run(lengths: list[int], hits: list[int], room: int) -> tuple[int, int]:
    """Return the bounds of the run that fits into the room and holds the most hits (two pointers, linear time)."""
    best = (0, 0)
    most = -1
    first = length = held = 0
    for last in range(len(lengths)):
        length += lengths[last]
        held += hits[last]
        while length > room:
            length -= lengths[first]
            held -= hits[first]
            first += 1
        if held > most:
            best, most = (first, last + 1), held
    return _widened(best, lengths, room)


def _widened(run: tuple[int, int], lengths: list[int], room: int) -> tuple[int, int]:
    """Fill the room that is left with the sentences after the run, then with those before it."""
    first, last = run
    length = sum(lengths[first:last])
    while last < len(lengths) and length + lengths[last] <= room:
        length += lengths[last]
        last += 1
    while first > 0 and length + lengths[first - 1] <= room:
        first -= 1
        length += lengths[first]
    return first, last
