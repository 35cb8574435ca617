"""Words that a question puts in quotation marks, and runs of tokens in others."""

import re
from collections.abc import Sequence

from khub.components.text.tokenizer import tokenize_phrase

# a straight mark behind a letter or digit opens nothing (5" or 6" pipes), and one before them closes nothing
QUOTED = re.compile(
    '(?<![A-Za-z0-9])["\uff02]([^"\uff02]+)["\uff02](?![A-Za-z0-9])|“([^“”]+)”|「([^「」]+)」|『([^『』]+)』|《([^《》]+)》'
)
_FIRST_EAST_ASIAN = "\u1100"


def quoted_phrases(text: str) -> list[list[str]]:
    """Return the tokens of what stands in "…", “…”, 「…」, 『…』 or 《…》.

    A lone East Asian character at an end is left out (2024年): in a text it is part of a bigram with its neighbour
    (2024年度), or none, as it happens.

    :param text: the question.
    :returns: a list of tokens for each, in their order, each phrase once; what holds no word is left out.
    """
    quoted = (next(filter(None, match.groups())) for match in QUOTED.finditer(text))
    phrases = dict.fromkeys(tuple(_without_lone_ends(tokenize_phrase(words))) for words in quoted)
    return [list(phrase) for phrase in phrases if phrase]


def _without_lone_ends(tokens: list[str]) -> list[str]:
    fit = [at for at, token in enumerate(tokens) if len(token) > 1 or token < _FIRST_EAST_ASIAN]
    return tokens[fit[0] : fit[-1] + 1] if fit else []


def places(tokens: Sequence[str], part: Sequence[str]) -> list[int]:
    """Return where a run of tokens begins in others; nowhere if it is empty."""
    if not part:
        return []
    length = len(part)
    return [at for at in range(len(tokens) - length + 1) if list(tokens[at : at + length]) == list(part)]


def holds(tokens: Sequence[str], part: Sequence[str]) -> bool:
    """Say whether a run of tokens stands in others."""
    return bool(places(tokens, part))
