"""Where sentences end, in Chinese and English: of a text that is shown as it stands, and of a line that is checked."""

import re
from itertools import pairwise

# begins with one set of characters, which the library looks for many times as fast as it tries alternatives
_IN_TEXT = re.compile(
    r"[。！？；.!?\n](?:(?<=[。！？；])[”’」』）]*|(?<=[.!?])[\"'”’)\]]*\s+(?=[^\sa-z])|(?<=\n)(?![a-z]))"
)
"""A lower-case letter begins no sentence: neither after `e.g.` nor on the next line of a paragraph."""
_NUMBER = re.compile(r"\s*(?:[A-Za-z]{1,8}\.?\s)?[\d.]{1,6}\.\s*")
"""`3. ` and `Figure 2. ` are no sentences."""
_END = re.compile(
    r"(?<=[。！？；!?])[”’」』）\"')\]]*"
    r"|(?<=[.;])[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-Z0-9\u3400-\u9fff])"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|Nos|Fig|Figs|Sec|Ch|vs|cf|e\.g|i\.e|etc|approx|ca|Inc|Ltd|Co|Jan|Feb|Mar|Apr|Jun"
    r"|Jul|Aug|Sept?|Oct|Nov|Dec)|\b[A-Z]|(?:^|\s)\d{1,2})\.$"
)
LONGEST_ABBREVIATION = 12
"""Characters, and more: what stands before them must be seen not to belong to it."""


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return where the sentences of a text are: beginning and end of each, which meet without a gap.

    :param text: running text, with line breaks; a row of a table is a sentence.
    :returns: nothing for an empty text; numbers of lists and figures belong to the sentence behind them.
    """
    bounds = [0, *[match.end() for match in _IN_TEXT.finditer(text)], len(text)]
    parts = [(start, end) for start, end in pairwise(bounds) if end > start]
    return parts if "." not in text else _with_numbers(text, parts)


def _with_numbers(text: str, parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the parts with each number of a list or figure in one with what stands behind it."""
    spans: list[tuple[int, int]] = []
    for start, end in parts:
        if spans and _NUMBER.fullmatch(text, *spans[-1]):
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def split_sentences(line: str) -> list[str]:
    """Split one line into what can be true or false by itself: sentences, and what semicolons part.

    Unlike `sentence_spans`, it would rather leave two sentences together than part a name from its abbreviation.

    :param line: text without line breaks.
    :returns: the sentences, stripped, none of them empty; `e.g.`, `Ms.`, initials and numbers of lists end none.
    """
    sentences: list[str] = []
    start = 0
    for end in _END.finditer(line):
        closing = line[end.start() : end.end()].strip()
        # nothing but what it ends with is looked at: of a line full of abbreviations, each is behind all of them
        last = line[max(start, end.start() - LONGEST_ABBREVIATION) : end.start()] + closing
        if not last.strip() or _ABBREVIATION.search(last):
            continue
        sentences.append((line[start : end.start()] + closing).strip())
        start = end.end()
    rest = line[start:].strip()
    return [*sentences, rest] if rest else sentences
