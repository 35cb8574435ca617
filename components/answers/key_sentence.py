"""The sentence of a passage that carries the match."""

import re
from collections.abc import Mapping
from itertools import pairwise

from components.text.tokenizer import tokenize

ENDS = re.compile(
    r"(?<=[。！？；])(?![”’」』）])|(?<=[。！？；][”’」』）])|(?<=[.!?])[\"'”’)\]]*\s+(?=[^\sa-z])|\n(?![a-z])"
)
"""A lower-case letter begins no sentence: neither after `e.g.` nor on the next line of a paragraph."""
NUMBER = re.compile(r"\s*(?:[A-Za-z]{1,8}\.?\s)?[\d.]{1,6}\.\s*")
"""`3. ` and `Figure 2. ` are no sentences."""
HEADING = re.compile(r"\s*#{1,6}\s")
IMAGE = re.compile(r"\[IMAGE:[^\]\n]*\]")


def term_weights(terms: set[str], rarity: Mapping[str, float] | None) -> dict[str, float]:
    """Return what each term of the question counts.

    :param terms: tokens of the question.
    :param rarity: inverse document frequency of those that the collection knows; None where no leg has told.
    :returns: term -> weight; one that the collection does not know counts as its rarest.
    """
    known = dict(rarity or {})
    return {term: known.get(term, max(known.values(), default=1.0)) for term in terms}


def key_sentence(text: str, weights: Mapping[str, float]) -> str:
    """Return the sentence with the most of the question's terms, rare ones weighing more.

    :param text: a passage.
    :param weights: term -> weight (see `term_weights`).
    :returns: a part of the text as it stands there, the first of equally good ones; a heading only where no other
        sentence has a term; "" where none has, as where the question is in another language.
    """
    best, most = "", (0.0, False)
    for start, end in _spans(text):
        sentence = text[start:end].strip()
        held = weights.keys() & set(tokenize(IMAGE.sub("", sentence)))
        worth = sum(weights[term] for term in held)
        rank = (worth if not HEADING.match(sentence) else 0.0, worth > 0)
        if rank > most:
            best, most = sentence, rank
    return best


def _spans(text: str) -> list[tuple[int, int]]:
    bounds = [0, *(match.end() for match in ENDS.finditer(text)), len(text)]
    spans: list[tuple[int, int]] = []
    for start, end in pairwise(bounds):
        if spans and NUMBER.fullmatch(text[slice(*spans[-1])]):
            spans[-1] = (spans[-1][0], end)
        elif end > start:
            spans.append((start, end))
    return spans
